import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const PROFILE = {
  id: EXAMPLE.profile,
  systemId: EXAMPLE.system,
  name: 'Cardiologist',
  description: 'Doctors of the heart clinic',
  attributes: { department: 'cardiology', grade: 3 },
  createdAt: TIME,
  updatedAt: TIME,
}

export const DOCS = docsOf('profiles', {
  listProfiles: {
    summary: 'List profiles',
    description: `Returns the profiles of the system, newest first. The admin of an account can read the profiles of
      the system of the account.`,
    success: 'A page of profiles.',
    response: pageWith(PROFILE),
  },
  createProfile: {
    summary: 'Create a profile',
    description: `Creates a profile in the system. Two profiles of a system cannot have the same name. The meaning of
      the attributes is defined by the application. \`updateMembershipProfiles\` assigns profiles to memberships.
      Audit entry: \`profile.created\`. A system has at most ${quotaText('profilesOfSystem')}
      profiles (\`limit_reached\`).`,
    success: 'The profile was created.',
    request: {
      name: 'Cardiologist',
      description: 'Doctors of the heart clinic',
      attributes: { department: 'cardiology', grade: 3 },
    },
    response: PROFILE,
  },
  getProfile: {
    summary: 'Get a profile',
    description: 'Returns one profile of the system.',
    success: 'The profile.',
    response: PROFILE,
  },
  updateProfile: {
    summary: 'Update a profile',
    description: `Changes the fields in the body and leaves the others as they are; \`attributes\` is replaced as a
      whole. Access tokens contain the name of the profile after the next refresh. If the name or the attributes
      change, each membership with the profile causes an event \`user.access_updated\`. Audit entry:
      \`profile.updated\`.`,
    success: 'The profile after the update.',
    request: { attributes: { department: 'cardiology', grade: 4 } },
    response: { ...PROFILE, attributes: { department: 'cardiology', grade: 4 } },
  },
  deleteProfile: {
    summary: 'Delete a profile',
    description: `Deletes the profile and removes it from all memberships. Each of these memberships causes an event
      \`user.access_updated\`. Audit entry: \`profile.deleted\`.`,
    success: 'The profile was deleted.',
  },
})
