/** The JSON of domains in requests and responses of the admin API. */
import { type Static, Type } from 'typebox'
import { Id, Nullable, oneOf, pathId, Time, timeOf } from '../../http/schemas.ts'
import type { Domain } from './queries.ts'
import { recordOf } from './record.ts'

const InAccount = { accountId: pathId('account') }
export const DomainsOf = Type.Object(InAccount)
export const OneDomain = Type.Object({ ...InAccount, domainId: pathId('domain') })

/** record.ts checks it. Longer than a name that is typed with the trailing dot. */
const TYPED_MAX = 300

const Subdomains = Type.Boolean({
  description: 'Whether the addresses of domains below it belong to it as well. Default: false.',
})
const SetBy = oneOf(['platform', 'system', 'account'], {
  title: 'DomainSetBy',
  description:
    'The authority that has added the domain: a lower one does not change or delete it. Only the system and the platform change it, to their own or a lower one.',
})

export const DomainBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: TYPED_MAX,
      description:
        'The part of email addresses after the `@`. Stored and returned as A-labels in lower case, without a trailing dot. A name with characters that IDNA maps to others, of one label or with a wildcard is refused.',
    }),
    subdomains: Type.Optional(Subdomains),
  },
  { title: 'AddDomain' },
)
export const UpdateDomain = Type.Object(
  { subdomains: Type.Optional(Subdomains), setBy: Type.Optional(SetBy) },
  { title: 'UpdateDomain' },
)

export const DomainAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    accountId: Id,
    name: Type.String(),
    subdomains: Subdomains,
    setBy: SetBy,
    status: oneOf(['pending', 'verified', 'lapsed'], {
      title: 'DomainStatus',
      description:
        '`pending`: no check has found the record yet. `verified`: one has. `lapsed`: it was verified, and the record was missing for 7 days, or no name server answered for 30 days.',
    }),
    record: Type.Object(
      { name: Type.String(), type: Type.String(), value: Type.String() },
      { title: 'DomainRecord', description: 'The TXT record that verifies the domain.' },
    ),
    checking: Type.Boolean({ description: 'Whether a check is due or in progress.' }),
    checkedAt: Nullable(timeOf('When it was checked last; null before the first check.')),
    outcome: Nullable(
      oneOf(['verified', 'missing', 'failing'], {
        title: 'DomainOutcome',
        description:
          'What the last check has found. `missing`: an answer without the record. `failing`: no answer of the name servers.',
      }),
    ),
    found: Nullable(
      Type.Object(
        {
          values: Type.Array(Type.String(), {
            description: 'At most 5 values that look like that of the record, of 200 characters each.',
          }),
          others: Type.Integer({ description: 'The number of the other TXT records.' }),
        },
        { title: 'FoundRecords', description: 'The TXT records of a check that was `missing`.' },
      ),
    ),
    verifiedAt: Nullable(timeOf('When it was verified; null before.')),
    missingSince: Nullable(timeOf('Since when the record of a verified domain is missing.')),
    failingSince: Nullable(timeOf('Since when no name server of a verified domain has answered.')),
    lapsesAt: Nullable(timeOf('When a verified domain lapses, unless a check finds the record until then.')),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Domain' },
)

const textOf = (time: Date | null) => time?.toISOString() ?? null

export const answerOf = (domain: Domain): Static<typeof DomainAnswer> => {
  const { id, systemId, accountId, name, subdomains, setBy, status, checking, outcome, found } = domain
  return {
    ...{ id, systemId, accountId, name, subdomains, setBy, status },
    record: recordOf(domain),
    ...{ checking, outcome, found },
    checkedAt: textOf(domain.checkedAt),
    verifiedAt: textOf(domain.verifiedAt),
    missingSince: textOf(domain.missingSince),
    failingSince: textOf(domain.failingSince),
    lapsesAt: textOf(domain.lapsesAt),
    createdAt: domain.createdAt.toISOString(),
    updatedAt: domain.updatedAt.toISOString(),
  }
}
