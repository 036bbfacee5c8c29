import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { CheckField, isChecked, SelectField, TextField, textOf } from '../../parts/Form.tsx'
import { Section, SettingsForm } from '../../parts/settings/SettingsForm.tsx'
import { texts } from '../../texts/texts.ts'
import { Addresses } from './Addresses.tsx'
import { type Patch, useEditing } from './editing.tsx'
import type { System } from './system.ts'
import { Uris, urisIn } from './Uris.tsx'

type Flag = { [K in keyof System]: System[K] extends boolean ? K : never }[keyof System] &
  keyof typeof texts.settings

/** The API accepts a change of these from the whole installation only. */
const OF_PLATFORM: readonly string[] = [
  'multiAccount',
  'allowClientCredentials',
  'allowDeviceFlow',
  'allowActingForMembers',
  'allowServiceAccounts',
  'skipConsent',
  'requirePkce',
  'emailFrom',
  'emailReplyTo',
]

const isEditable = (name: string, kind: string): boolean => kind === 'platform' || !OF_PLATFORM.includes(name)

/** A setting that is on or off, with what users notice. */
function Switch({ name }: { name: Flag }) {
  const { system } = useEditing()
  const { kind } = usePlace()
  const t = texts.settings
  const isOpen = isEditable(name, kind)
  const hint = t[`${name}Hint` as keyof typeof t] as string
  return (
    <CheckField
      name={name}
      label={t[name] as string}
      hint={isOpen ? hint : `${hint} ${t.onlyPlatform}`}
      checked={system[name]}
      disabled={!isOpen}
    />
  )
}

/** The flags of a form, without those that the context cannot change. */
function useFlags(...names: Flag[]): (data: FormData) => Patch {
  const { kind } = usePlace()
  return (data) =>
    Object.fromEntries(
      names.filter((name) => isEditable(name, kind)).map((name) => [name, isChecked(data, name)]),
    )
}

/** All settings of an application but its brand and its keys. */
export const SignIn = () => (
  <SettingsForm hasLinks>
    <Redirects />
    <Addresses />
    <Registration />
    <Invitations />
    <Verification />
    <Data />
    <SignOut />
    <Emails />
    <Protocol />
  </SettingsForm>
)

/** Where a sign-in, a sign-out and calls of pages may come from and return to. */
function Redirects() {
  const { system } = useEditing()
  const t = texts.settings
  const isPublic = system.clientType === 'public'
  const { redirectUris, postLogoutRedirectUris, allowedOrigins } = system
  return (
    <Section
      title={t.returns}
      read={(data) => ({
        redirectUris: urisIn(data, 'redirectUris'),
        postLogoutRedirectUris: urisIn(data, 'postLogoutRedirectUris'),
        ...(isPublic && { allowedOrigins: urisIn(data, 'allowedOrigins') }),
      })}
      stored={{ redirectUris, postLogoutRedirectUris, allowedOrigins }}
    >
      <Uris field="redirectUris" title={t.redirectUris} lead={t.redirectUrisLead} />
      <Uris field="postLogoutRedirectUris" title={t.logoutUris} lead={t.logoutUrisLead} />
      {isPublic && <Uris field="allowedOrigins" title={t.allowedOrigins} lead={t.allowedOriginsLead} />}
    </Section>
  )
}

function Registration() {
  const { system } = useEditing()
  const t = texts.settings
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId: system.id } })
  const flags = useFlags(
    'allowSelfRegister',
    'requireAdminActivation',
    'multiAccount',
    'accountAdminApi',
    'addressFirst',
  )
  const options = Object.fromEntries((roles.data ?? []).map(({ id, name }) => [id, name]))
  return (
    <Section
      title={t.registration}
      read={(data) => ({
        ...flags(data),
        organizationSso: (textOf(data, 'organizationSso') ?? 'system') as System['organizationSso'],
        connectionMfa: (textOf(data, 'connectionMfa') ?? 'reported') as System['connectionMfa'],
        ...(roles.data && { founderRoleId: textOf(data, 'founderRoleId') ?? null }),
      })}
    >
      <Switch name="allowSelfRegister" />
      <Switch name="requireAdminActivation" />
      <Switch name="multiAccount" />
      <Switch name="accountAdminApi" />
      <SelectField
        name="organizationSso"
        label={t.organizationSso}
        hint={t.organizationSsoHint}
        value={system.organizationSso}
        options={t.organizationSsoValues}
      />
      <SelectField
        name="connectionMfa"
        label={t.connectionMfa}
        hint={t.connectionMfaHint}
        value={system.connectionMfa}
        options={t.connectionMfaValues}
      />
      <Switch name="addressFirst" />
      {roles.data && (
        <SelectField
          name="founderRoleId"
          label={t.founderRole}
          hint={t.founderRoleHint}
          value={system.founderRoleId ?? ''}
          options={{ '': t.noRole, ...options }}
        />
      )}
    </Section>
  )
}

/** Only organizations have invitations. */
function Invitations() {
  const { system } = useEditing()
  const t = texts.settings
  if (!system.multiAccount && system.invitationUri === null) return null
  return (
    <Section
      title={texts.invitations.title}
      read={(data) => ({ invitationUri: textOf(data, 'invitationUri') ?? null })}
    >
      <TextField
        name="invitationUri"
        label={t.invitationUri}
        hint={t.invitationUriHint}
        value={system.invitationUri ?? ''}
        placeholder="https://"
        maxLength={2_000}
        isOptional
      />
    </Section>
  )
}

function Verification() {
  const flags = useFlags('requireMfa', 'requireEmailOtp', 'skipConsent')
  return (
    <Section title={texts.settings.verification} read={flags}>
      <Switch name="requireMfa" />
      <Switch name="requireEmailOtp" />
      <Switch name="skipConsent" />
    </Section>
  )
}

function Data() {
  const { system } = useEditing()
  const t = texts.settings
  return (
    <Section
      title={t.data}
      lead={t.dataLead}
      read={(data) => ({ allowedScopes: ['openid', ...data.getAll('scope').map(String)] })}
    >
      {Object.entries(t.scopes).map(([scope, label]) => (
        <CheckField
          key={scope}
          name="scope"
          value={scope}
          label={label}
          hint={t.scopeHints[scope as keyof typeof t.scopeHints]}
          checked={system.allowedScopes.includes(scope)}
          disabled={scope === 'openid'}
        />
      ))}
    </Section>
  )
}

function SignOut() {
  const { system } = useEditing()
  const t = texts.settings
  return (
    <Section
      title={t.signOut}
      read={(data) => ({ backchannelLogoutUri: textOf(data, 'backchannelLogoutUri') ?? null })}
    >
      <TextField
        name="backchannelLogoutUri"
        label={t.backchannel}
        hint={t.backchannelHint}
        value={system.backchannelLogoutUri ?? ''}
        placeholder="https://"
        maxLength={2_000}
        isOptional
      />
    </Section>
  )
}

const SENDERS = ['emailFrom', 'emailReplyTo'] as const

/** From which address the emails of the application are sent, and where their answers go. */
function Emails() {
  const { system } = useEditing()
  const { kind } = usePlace()
  const t = texts.settings
  const isOpen = isEditable('emailFrom', kind)
  return (
    <Section
      title={texts.systems.tabs.emails}
      read={(data) =>
        isOpen ? Object.fromEntries(SENDERS.map((name) => [name, textOf(data, name) ?? null])) : {}
      }
    >
      {SENDERS.map((name) => (
        <TextField
          key={name}
          name={name}
          type="email"
          label={t[name]}
          hint={isOpen ? t[`${name}Hint`] : `${t[`${name}Hint`]} ${t.onlyPlatform}`}
          value={system[name] ?? ''}
          disabled={!isOpen}
          maxLength={254}
          isOptional
        />
      ))}
    </Section>
  )
}

function Protocol() {
  const { system } = useEditing()
  const t = texts.settings
  const isPublic = system.clientType === 'public'
  const flags = useFlags(
    ...(isPublic ? [] : (['allowClientCredentials', 'requirePkce', 'requireSignedRequestObject'] as const)),
    ...(system.platform ? [] : (['allowDeviceFlow', 'allowServiceAccounts'] as const)),
    ...(isPublic || system.platform ? [] : (['allowActingForMembers'] as const)),
  )
  return (
    <Section
      title={t.protocol}
      lead={t.protocolLead}
      read={(data) => ({
        ...flags(data),
        idTokenAlg: data.get('idTokenAlg') as System['idTokenAlg'],
        accessTokenType: data.get('accessTokenType') as System['accessTokenType'],
        accessTokenAlg: data.get('accessTokenAlg') as System['accessTokenAlg'],
        securityProfile: (textOf(data, 'securityProfile') ?? null) as System['securityProfile'],
        introspectableBy: String(data.get('introspectableBy')).split(/\s+/).filter(Boolean),
      })}
    >
      {!isPublic && <Switch name="allowClientCredentials" />}
      {!system.platform && <Switch name="allowDeviceFlow" />}
      {!isPublic && !system.platform && <Switch name="allowActingForMembers" />}
      {!system.platform && <Switch name="allowServiceAccounts" />}
      {!isPublic && <Switch name="requirePkce" />}
      {!isPublic && <Switch name="requireSignedRequestObject" />}
      <SelectField
        name="idTokenAlg"
        label={t.idTokenAlg}
        hint={t.idTokenAlgHint}
        value={system.idTokenAlg}
        options={{ RS256: 'RS256', ES256: 'ES256' }}
      />
      <SelectField
        name="accessTokenType"
        label={t.accessTokenType}
        hint={t.accessTokenTypeHint}
        value={system.accessTokenType}
        options={{ 'at+jwt': 'at+jwt', JWT: 'JWT' }}
      />
      <SelectField
        name="accessTokenAlg"
        label={t.accessTokenAlg}
        hint={t.accessTokenAlgHint}
        value={system.accessTokenAlg}
        options={{ ES256: 'ES256', RS256: 'RS256' }}
      />
      <SelectField
        name="securityProfile"
        label={t.securityProfile}
        hint={t.securityProfileHint}
        value={system.securityProfile ?? ''}
        options={{ '': t.noProfile, fapi2: 'FAPI 2.0' }}
      />
      <TextField
        name="introspectableBy"
        label={t.introspectableBy}
        hint={t.introspectableByHint}
        value={system.introspectableBy.join('\n')}
        lines={2}
        isOptional
      />
    </Section>
  )
}
