import { comment, type Given, originOf, partitionNote, type Snippet } from './snippet.ts'

const SECRET = `            client-secret: \${CLIENT_SECRET}`

const registration = ({ kind, scopes }: Given): string[] => {
  if (kind === 'service') return [SECRET, '            authorization-grant-type: client_credentials']
  return [
    kind === 'public' ? '            client-authentication-method: none' : SECRET,
    `            scope: [${scopes.join(', ')}]`,
  ]
}

/** Spring's own; another one needs code. */
const redirectUri = (given: Given): string[] =>
  given.kind === 'service'
    ? []
    : [
        '',
        `Redirect URI: ${originOf(given.redirectUri)}/login/oauth2/code/tenantry`,
        'Add it on the tab Sign-in.',
      ]

/** https://docs.spring.io/spring-boot/appendix/application-properties */
export const spring: Snippet = {
  title: 'Java, Spring Boot',
  install: () => 'spring-boot-starter-security-oauth2-client',
  code: (given) => `${comment('#', ['src/main/resources/application.yml', ...redirectUri(given)])}
spring:
  security:
    oauth2:
      client:
        provider:
          tenantry:
            issuer-uri: ${given.issuer}
${comment('#', partitionNote(given), '            ')}
            # Spring stores tokens by this name; with sub the accounts of a user would share them.
            user-name-attribute: membership_id
        registration:
          tenantry:
            client-id: ${given.clientId}
${registration(given).join('\n')}
`,
  kinds: ['web', 'public', 'service'],
}
