/** Sample pages of an organization. */
import { textsOf } from '../../src/ui/i18n/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { organizationOverview } from '../../src/ui/pages/self-service/organizations/overview.ts'

type Given = { acme: SystemLook; long: SystemLook; email: string; longEmail: string; HOSTILE: string }

const csrf = 'c5rf"token'

export function organizationPages({ acme, long, email, longEmail, HOSTILE }: Given) {
  const northsea = {
    id: 'o1',
    name: 'Northsea Shipping',
    system: acme.name,
    roles: ['Administrator', 'Editor'],
    since: new Date('2026-03-04T09:12:00Z'),
  }
  const admins = [
    { name: 'Alice Martin', email },
    { name: null, email: 'rui.costa@northsea.example' },
  ]
  const page = { locale: 'en' as const, csrf, email }
  return {
    organization: {
      html: organizationOverview({ ...page, organization: northsea, admins, hasMoreAdmins: false }),
    },
    'organization-last-admin': {
      html: organizationOverview({
        ...page,
        locale: 'de',
        organization: northsea,
        admins: admins.slice(0, 1),
        hasMoreAdmins: false,
        errors: { form: textsOf('de', 'organization').lastAdmin },
      }),
    },
    'organization-long': {
      html: organizationOverview({
        ...page,
        locale: 'fr',
        organization: { ...northsea, name: HOSTILE, system: long.name, roles: [HOSTILE, long.name] },
        admins: [{ name: HOSTILE, email: longEmail }],
        hasMoreAdmins: true,
      }),
    },
  }
}
