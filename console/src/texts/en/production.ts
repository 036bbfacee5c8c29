export const production = {
  title: 'Before production',
  lead: 'What to set before users sign in over the Internet. On your own machine, all of it can wait.',
  done: 'Done',
  open: 'Open',
  checks: {
    address: {
      title: 'Address with https',
      open: 'Set BASE_URL to the address that users open. It must begin with https://.',
    },
    proxy: {
      title: 'Addresses of clients',
      open: 'Set TRUST_PROXY to the address of the proxy before this server. Without it, all users have the address of the proxy, and a limit for one of them stops the others.',
    },
    mail: {
      title: 'Mail server',
      open: 'Set MAIL_URL. Without it, emails are files in the outbox directory, and no user receives one.',
    },
    sender: {
      title: 'Sender of emails',
      open: 'Set MAIL_FROM to an address of your domain. Mail servers refuse emails from no-reply@localhost.',
    },
    secondFactor: {
      title: 'Second factor for this console',
      open: 'Set CONSOLE_REQUIRE_MFA=true. Without it, a password is enough to manage every application and user.',
    },
    privateAddresses: {
      title: 'No requests to private addresses',
      open: 'Remove WEBHOOK_ALLOW_PRIVATE and SOCIAL_ALLOW_PRIVATE, or webhooks and identity providers can reach servers in your network.',
    },
    database: {
      title: 'PostgreSQL',
      open: 'The embedded database serves one process on one machine. Set DATABASE_URL for several processes and for failover.',
    },
    metrics: {
      title: 'Monitoring',
      open: 'Set METRICS_TOKEN or METRICS_PORT, and let Prometheus read /metrics.',
    },
    redirectUris: {
      title: 'No redirect to a developer’s machine',
      open: 'Remove the redirect URIs with localhost from:',
    },
  },
}
