import type { Connection } from '../../parts/connections/connection.ts'
import { TextField, textOf } from '../../parts/Form.tsx'
import { useEdited } from '../../parts/settings/editing.tsx'
import { Section } from '../../parts/settings/SettingsForm.tsx'
import { texts } from '../../texts/texts.ts'

/** In characters, as the server has it. */
const METADATA_MAX = 1_000_000

/** The texts between the ends of certificates; one without an end is refused at its field. */
const certificatesIn = (data: FormData): string[] =>
  String(data.get('certificates') ?? '')
    .replaceAll('\r\n', '\n')
    .split(/(?<=-----END CERTIFICATE-----)/)
    .map((text) => text.trim())
    .filter(Boolean)

/** The values of a SAML provider. Issuer and subject are fixed by the first test that succeeded. */
export function SamlProvider({ isFixed }: { isFixed: boolean }) {
  const { resource: connection } = useEdited<Connection>()
  const t = texts.connections
  return (
    <Section
      title={t.ofProvider}
      lead={t.samlLead}
      read={(data) => {
        const metadata = textOf(data, 'metadata')
        return {
          ...(metadata !== undefined && { metadata }),
          ...(!isFixed && {
            issuer: textOf(data, 'issuer') ?? '',
            subjectAttribute: textOf(data, 'subjectAttribute') ?? null,
          }),
          ssoUrl: textOf(data, 'ssoUrl') ?? '',
          certificates: certificatesIn(data),
        }
      }}
    >
      <TextField
        name="metadata"
        label={t.metadata}
        hint={t.metadataHint}
        lines={4}
        isCode
        isOptional
        maxLength={METADATA_MAX}
      />
      <TextField
        name="issuer"
        label={t.issuer}
        hint={isFixed ? t.samlFixed : t.samlIssuerHint}
        value={connection.issuer ?? ''}
        disabled={isFixed}
        maxLength={1_024}
      />
      <TextField
        name="ssoUrl"
        label={t.ssoUrl}
        hint={t.ssoUrlHint}
        value={connection.ssoUrl ?? ''}
        placeholder="https://"
        maxLength={2_000}
      />
      <TextField
        name="certificates"
        label={t.certificates}
        hint={t.certificatesHint}
        value={connection.certificates.map(({ pem }) => pem.trim()).join('\n')}
        lines={6}
        isCode
      />
      <TextField
        name="subjectAttribute"
        label={t.samlSubject}
        hint={t.samlSubjectHint}
        value={connection.subjectAttribute ?? ''}
        disabled={isFixed}
        isOptional
        maxLength={256}
      />
    </Section>
  )
}
