import { docsOf } from '../../http/docs.ts'

const SHOWN = {
  subject: 'Welcome to Northsea Shipping',
  heading: 'You can start',
  blocks: [{ text: 'Northsea Shipping has approved you.' }, { button: 'Open Ledger' }],
  text: 'You can start\n\nNorthsea Shipping has approved you.\n\nOpen Ledger\nhttps://id.example/account\n',
}
const TEXTS = {
  subject: 'Welcome to {{organization}}',
  heading: 'You can start',
  paragraphs: ['{{organization}} has approved you.'],
  button: 'Open Ledger',
  footer: null,
}
const TEXT = {
  kind: 'access_approved',
  locale: 'en',
  setBy: 'system',
  ...TEXTS,
  preview: SHOWN,
  standard: {
    subject: 'Your access to Ledger was approved',
    heading: 'Your access to Ledger was approved',
    blocks: [{ text: 'An administrator approved your membership.' }, { button: 'Continue to Ledger' }],
    text: 'Your access to Ledger was approved\n\nAn administrator approved your membership.\n\nContinue to Ledger\nhttps://id.example/account\n',
  },
}

const WHO = `The platform writes all kinds; a system those that go to its active members (\`access_approved\`,
  \`access_requested\`), unless the platform has written them: 403 \`insufficient_authority\` otherwise.`

export const DOCS = docsOf('systems', {
  listEmailTexts: {
    summary: 'List the kinds of emails',
    description: `Returns the kinds of emails that a system can have texts of its own for: who writes them, the names of
      the values that a text can have, and the languages in which the system has texts.`,
    success: 'All kinds.',
    response: [
      {
        kind: 'access_approved',
        authority: 'system',
        names: ['application', 'email', 'organization'],
        button: true,
        locales: ['en'],
      },
    ],
  },
  getEmailText: {
    summary: 'Get the texts of an email',
    description: `Returns the texts that the system has of its own for a kind in a language, the email with them, and
      the email with the texts of the server.`,
    success: 'The texts.',
    response: TEXT,
  },
  putEmailText: {
    summary: 'Set the texts of an email',
    description: `Replaces the texts of a kind in a language; null or missing: the text of the server. \`{{name}}\` is
      replaced by a value that \`listEmailTexts\` names for the kind; other braces are refused. Texts are plain text: no
      markup and no line breaks. ${WHO} Audit entry: \`system.email_text_updated\`.`,
    success: 'The texts after the change.',
    request: TEXTS,
    response: TEXT,
  },
  deleteEmailText: {
    summary: 'Reset the texts of an email',
    description: `Resets the texts of a kind in a language to those of the server. ${WHO} Audit entry:
      \`system.email_text_reset\`.`,
    success: 'The email has the texts of the server.',
  },
  previewEmailText: {
    summary: 'Preview texts of an email',
    description: 'Returns the email with these texts and values of a sample. Stores and sends nothing.',
    success: 'The email.',
    request: TEXTS,
    response: SHOWN,
  },
  testEmailText: {
    summary: 'Send a test of an email',
    description: `Sends the email with its present texts and values of a sample to the user who calls. Its link opens
      the pages of the user, and its code is none. A service has no address (\`invalid_request\`). At most ten, then one
      per minute. Audit entry: \`system.email_text_tested\`.`,
    success: 'The email was queued.',
    response: { email: 'ana@acme.example' },
  },
})
