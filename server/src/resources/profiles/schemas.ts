/** The JSON of profiles in requests and responses of the admin API. */
import { type Static, Type } from 'typebox'
import { Id, JsonObject, Name, Nullable, PageOf, pathId, Time } from '../../http/schemas.ts'
import type { Profile } from './queries.ts'

const systemId = pathId('system')

export const InSystem = Type.Object({ systemId })
export const OneProfile = Type.Object({ systemId, profileId: pathId('profile') })

/** A limit of our own. */
const Description = Nullable(Type.String({ maxLength: 1_000 }))

export const UpdateProfile = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    attributes: Type.Optional(JsonObject),
  },
  { title: 'UpdateProfile' },
)
export const CreateProfile = Type.Object(
  { ...UpdateProfile.properties, name: Name },
  { title: 'CreateProfile' },
)
export const ProfileAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    name: Name,
    description: Description,
    attributes: JsonObject,
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Profile' },
)
export const ProfileList = PageOf(ProfileAnswer, 'ProfileList')

export const answerOf = (profile: Profile): Static<typeof ProfileAnswer> => ({
  ...profile,
  createdAt: profile.createdAt.toISOString(),
  updatedAt: profile.updatedAt.toISOString(),
})
