import type { paths } from '../../../../sdk/src/api.ts'
import type { Given } from '../../../../sdk/src/operations.ts'
import { usePlace } from '../../api/context.ts'
import { atField, type Connection, ONE, pathOf, useGivenRoles } from '../../parts/connections/connection.ts'
import { CheckField, isChecked, SelectField, TextField, textOf } from '../../parts/Form.tsx'
import { Editing, type Patch, useEdited } from '../../parts/settings/editing.tsx'
import { Section, SettingsForm } from '../../parts/settings/SettingsForm.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { SamlProvider } from './SamlProvider.tsx'

/** Fields of the sections below, in the form of the operation. */
type Body = NonNullable<Given<paths[typeof ONE]['patch']>['body']>

type Props = {
  connection: Connection
  reload: () => Promise<Connection | undefined>
  mayChange: boolean
}

/**
 * The settings of a connection as one form. It sends what has changed and no version: each sign-in by the
 * connection is noted on it.
 */
export const ConnectionSettings = ({ connection, reload, mayChange }: Props) => (
  <Editing
    key={connection.id}
    read={connection}
    reload={reload}
    send={(api, patch: Patch) =>
      api.patch(ONE, { path: pathOf(connection), body: patch as Body }).catch(
        atField({
          connection_exists: 'name',
          issuer_multi_tenant: 'issuer',
          connection_fixed: 'issuer' in patch ? 'issuer' : 'subjectAttribute',
          metadata_invalid: 'metadata',
          saml_disabled: 'metadata',
        }),
      )
    }
  >
    <SettingsForm isLocked={!mayChange}>
      {connection.kind === 'saml' ? (
        <SamlProvider isFixed={connection.testedAt !== null} />
      ) : (
        <Provider isFixed={connection.testedAt !== null} hasSecret={connection.hasSecret} />
      )}
      <SignIn />
      <NewMembers />
      <Reserved />
    </SettingsForm>
  </Editing>
)

const trimmed = (data: FormData, name: string) => String(data.get(name) ?? '').trim()
const linesIn = (data: FormData, name: string) =>
  trimmed(data, name)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** One line for each value: `hd=acme.com`. A line without a value has an empty list, which is refused. */
function claimsIn(data: FormData): Connection['requiredClaims'] {
  const claims = new Map<string, string[]>()
  for (const line of linesIn(data, 'requiredClaims')) {
    const [claim = '', ...rest] = line.split('=').map((part) => part.trim())
    const value = rest.join('=')
    claims.set(claim, [...(claims.get(claim) ?? []), ...(value ? [value] : [])])
  }
  return Object.fromEntries(claims)
}

const linesOf = (claims: Connection['requiredClaims']) =>
  Object.entries(claims)
    .flatMap(([claim, values]) => values.map((value) => `${claim}=${value}`))
    .join('\n')

/** What the provider shows. Issuer and subject are fixed by the first test that succeeded. */
function Provider({ isFixed, hasSecret }: { isFixed: boolean; hasSecret: boolean }) {
  const { resource: connection } = useEdited<Connection>()
  const t = texts.connections
  return (
    <Section
      title={t.ofProvider}
      lead={t.ofProviderLead}
      read={(data) => {
        const secret = textOf(data, 'clientSecret')
        const expiry = textOf(data, 'secretExpiresAt')
        return {
          ...(!isFixed && {
            issuer: trimmed(data, 'issuer'),
            subjectAttribute: data.get('subjectAttribute'),
          }),
          clientId: trimmed(data, 'clientId'),
          ...(secret !== undefined && { clientSecret: secret }),
          secretExpiresAt: expiry === undefined ? null : `${expiry}T00:00:00.000Z`,
          requiredClaims: claimsIn(data),
          scopes: trimmed(data, 'scopes').split(/\s+/).filter(Boolean),
        }
      }}
    >
      <TextField
        name="issuer"
        label={t.issuer}
        hint={isFixed ? t.issuerFixed : t.issuerHint}
        value={connection.issuer ?? ''}
        disabled={isFixed}
        placeholder="https://"
        maxLength={500}
      />
      <TextField name="clientId" label={t.clientId} value={connection.clientId ?? ''} maxLength={255} />
      <TextField
        name="clientSecret"
        type="password"
        label={t.clientSecret}
        hint={hasSecret ? t.secretStored : undefined}
        autoComplete="new-password"
        maxLength={1_000}
      />
      <TextField
        name="secretExpiresAt"
        type="date"
        label={t.secretExpiresAt}
        hint={t.secretExpiresHint}
        value={connection.secretExpiresAt?.slice(0, 10) ?? ''}
        isOptional
      />
      <TextField
        name="requiredClaims"
        label={t.requiredClaims}
        hint={t.requiredClaimsHint}
        value={linesOf(connection.requiredClaims)}
        lines={2}
        isCode
        isOptional
      />
      {!isFixed && (
        <SelectField
          name="subjectAttribute"
          label={t.subject}
          hint={t.subjectHint}
          value={connection.subjectAttribute ?? 'sub'}
          options={{ sub: 'sub', oid: 'oid (Microsoft Entra ID)' }}
        />
      )}
      <TextField name="scopes" label={t.scopes} hint={t.scopesHint} value={connection.scopes.join(' ')} />
    </Section>
  )
}

/** How members sign in. */
function SignIn() {
  const { resource: connection } = useEdited<Connection>()
  const t = texts.connections
  const isSaml = connection.kind === 'saml'
  return (
    <Section
      title={t.ofSignIn}
      read={(data) => ({
        name: trimmed(data, 'name'),
        sessionHours: Number(data.get('sessionHours')),
        closedIssuer: isChecked(data, 'closedIssuer'),
        ...(!isSaml && {
          reauthentication: isChecked(data, 'reauthentication') ? 'unconfirmed' : 'stated',
        }),
        mfaAcr: linesIn(data, 'mfaAcr'),
        groupAttribute: textOf(data, 'groupAttribute') ?? null,
      })}
    >
      <TextField
        name="name"
        label={t.name}
        hint={t.nameHint}
        value={connection.name}
        required
        maxLength={100}
      />
      <TextField
        name="sessionHours"
        type="number"
        label={t.sessionHours}
        hint={t.sessionHoursHint}
        value={String(connection.sessionHours)}
        required
      />
      <CheckField
        name="closedIssuer"
        label={t.closedIssuer}
        hint={t.closedIssuerHint}
        checked={connection.closedIssuer}
      />
      {!isSaml && (
        <CheckField
          name="reauthentication"
          label={t.reauthentication}
          hint={t.reauthenticationHint}
          checked={connection.reauthentication === 'unconfirmed'}
        />
      )}
      <TextField
        name="mfaAcr"
        label={isSaml ? t.samlAcr : t.mfaAcr}
        hint={isSaml ? t.samlAcrHint : t.mfaAcrHint}
        value={connection.mfaAcr.join('\n')}
        lines={2}
        isCode
        isOptional
      />
      <TextField
        name="groupAttribute"
        label={isSaml ? t.samlGroups : t.groupAttribute}
        hint={t.groupAttributeHint}
        value={connection.groupAttribute ?? ''}
        isOptional
        maxLength={255}
      />
    </Section>
  )
}

/** Whether the connection adds members, and with which roles. */
function NewMembers() {
  const { resource: connection } = useEdited<Connection>()
  const t = texts.connections
  const roles = useGivenRoles(connection)
  return (
    <Section
      title={t.ofNewMembers}
      read={(data) => ({
        jit: isChecked(data, 'jit'),
        ...(roles && { defaultRoles: data.getAll('defaultRoles').map(String) }),
      })}
    >
      <CheckField name="jit" label={t.jit} hint={t.jitHint} checked={connection.jit} />
      {roles?.map(({ id, name, assignableByAccountAdmins }) => (
        <CheckField
          key={id}
          name="defaultRoles"
          value={id}
          label={fill(t.defaultRole, { role: name })}
          hint={assignableByAccountAdmins ? undefined : texts.members.reserved}
          checked={connection.defaultRoles.includes(id)}
        />
      ))}
    </Section>
  )
}

const RANKS = ['platform', 'system', 'account'] as const

/** What an administrator of the organization does not set. */
function Reserved() {
  const { resource: connection } = useEdited<Connection>()
  const { kind } = usePlace()
  const t = texts.connections
  if (kind === 'account') return null
  const ranks = RANKS.slice(RANKS.indexOf(kind))
  return (
    <Section
      title={t.reserved}
      lead={t.reservedLead}
      read={(data) => ({
        mfa: textOf(data, 'mfa') ?? null,
        reservedRoles: isChecked(data, 'reservedRoles'),
        ...(data.has('setBy') && { setBy: data.get('setBy') }),
      })}
    >
      <SelectField
        name="mfa"
        label={t.mfa}
        hint={t.mfaHint}
        value={connection.mfa ?? ''}
        options={{ '': t.mfaOfSystem, ...texts.settings.connectionMfaValues }}
      />
      <CheckField
        name="reservedRoles"
        label={t.reservedRoles}
        hint={t.reservedRolesHint}
        checked={connection.reservedRoles}
      />
      {ranks.includes(connection.setBy) && (
        <SelectField
          name="setBy"
          label={t.changedBy}
          hint={t.changedByHint}
          value={connection.setBy}
          options={Object.fromEntries(ranks.map((rank) => [rank, texts.domains.setByValues[rank]]))}
        />
      )}
    </Section>
  )
}
