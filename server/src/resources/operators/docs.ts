import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const OPERATOR = {
  id: EXAMPLE.operator,
  userId: EXAMPLE.user,
  email: 'ana@example.com',
  name: 'Ana Lima',
  systemId: EXAMPLE.system,
  systemName: 'Orders',
  level: 'viewer',
  createdAt: TIME,
}

export const DOCS = docsOf('operators', {
  listOperators: {
    summary: 'List operators',
    description: `Returns the users who use the console for the installation or for one system, newest first. The
      admins of the platform system use it too and are not in this list.`,
    success: 'A page of operators.',
    response: pageWith(OPERATOR),
  },
  createOperator: {
    summary: 'Add an operator',
    description: `Lets a user use the console for the installation (\`systemId\` null) or for one system, which is not
      a platform system. An operator obtains no token with this authority. Requires a recent authentication of a user. Audit entry:
      \`operator.created\`.`,
    success: 'The operator was added.',
    request: { userId: EXAMPLE.user, systemId: EXAMPLE.system, level: 'viewer' },
    response: OPERATOR,
  },
  deleteOperator: {
    summary: 'Remove an operator',
    description: `The next request of the user to the console is refused. Requires a recent authentication of a user.
      Audit entry: \`operator.deleted\`.`,
    success: 'The operator was removed.',
  },
})
