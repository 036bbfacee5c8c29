import { docsOf } from '../../http/docs.ts'
import { ACCOUNT } from '../accounts/docs.ts'
import { SYSTEM } from '../systems/docs.ts'

const ADDRESS = 'https://id.example/brand/8Jm2xV4qTz7LwN1cRk9sYb3pHf6dGa0eUiXo5tQvWyM.png'

const OF_SYSTEM = docsOf('systems', {
  putSystemImage: {
    summary: 'Upload an image of a system',
    description: `Stores a PNG of at most 256 kB and 1,024 pixels a side as the logo of the system, the logo in dark
      mode, or the icon of its pages in the browser, instead of the one before. Only what draws the image is kept:
      metadata and animation are removed. \`branding\` has its address, which contains its hash; pages and emails
      show it. Audit entry: \`system.updated\`.`,
    success: 'The system after the upload.',
    request: 'The bytes of the image.',
    response: { ...SYSTEM, branding: { color: '#336699', logoUrl: ADDRESS } },
  },
  deleteSystemImage: {
    summary: 'Remove an uploaded image of a system',
    description: `Removes the image. Its address responds with 404; browsers may show it for another day. Audit entry:
      \`system.updated\`.`,
    success: 'The image was removed.',
  },
})

const OF_ACCOUNT = docsOf('accounts', {
  putAccountLogo: {
    summary: 'Upload the logo of an organization',
    description: `Stores a PNG of at most 32 kB and 1,024 pixels a side as the logo of the organization, instead of the
      one before. Only what draws the image is kept. \`branding\` has its address, which contains its hash; active
      members see it, on pages where they choose an organization and on its own pages. Sends the event
      \`account.updated\`. Audit entry: \`account.updated\`.`,
    success: 'The account after the upload.',
    request: 'The bytes of the image.',
    response: { ...ACCOUNT, branding: { color: '#336699', logoUrl: ADDRESS } },
  },
  deleteAccountLogo: {
    summary: 'Remove the logo of an organization',
    description: `Removes the image. Its address responds with 404; browsers may show it for another day. Sends the
      event \`account.updated\`. Audit entry: \`account.updated\`.`,
    success: 'The logo was removed.',
  },
})

export const DOCS = { ...OF_SYSTEM, ...OF_ACCOUNT }
