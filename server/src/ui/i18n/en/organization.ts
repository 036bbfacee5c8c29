/** The pages of an organization under /account/organizations. */
export const organization = {
  application: 'Application',
  yourRoles: 'Your roles',
  noRoles: 'No roles',
  since: 'Member since',
  admins: 'Administrators',
  noAdmins: 'None',
  moreAdmins: 'and others',
  you: 'you',
  leave: 'Leave this organization',
  leaveLead:
    'You lose access to {account} at once and are signed out of it. To come back, you need an invitation.',
  lastAdmin: 'You are the only administrator. Make another member an administrator first.',
}
