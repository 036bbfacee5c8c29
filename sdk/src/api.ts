/** Written by `npm run docs` from docs/openapi.json. */

export type FailureCode =
  | 'account_not_found'
  | 'account_occupied'
  | 'account_taken'
  | 'checkpoint_not_found'
  | 'connection_exists'
  | 'connection_fixed'
  | 'connection_incomplete'
  | 'connection_not_found'
  | 'connection_required'
  | 'connection_untested'
  | 'cursor_expired'
  | 'delivery_not_found'
  | 'domain_exists'
  | 'domain_not_found'
  | 'email_already_verified'
  | 'email_not_found'
  | 'email_taken'
  | 'event_not_found'
  | 'external_id_taken'
  | 'factor_missing'
  | 'factor_not_found'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'identity_not_found'
  | 'image_not_found'
  | 'insufficient_authority'
  | 'insufficient_user_authentication'
  | 'internal'
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_transition'
  | 'invitation_ended'
  | 'invitation_exists'
  | 'invitation_not_found'
  | 'issuer_multi_tenant'
  | 'job_not_found'
  | 'last_admin'
  | 'last_admin_role'
  | 'limit_reached'
  | 'links_not_allowed'
  | 'membership_exists'
  | 'membership_not_found'
  | 'membership_place_missing'
  | 'metadata_invalid'
  | 'not_found'
  | 'not_organization'
  | 'only_way_in'
  | 'operator_exists'
  | 'operator_not_found'
  | 'payload_too_large'
  | 'platform_system'
  | 'profile_name_taken'
  | 'profile_not_found'
  | 'profile_not_in_system'
  | 'role_name_taken'
  | 'role_not_found'
  | 'role_not_in_system'
  | 'saml_disabled'
  | 'service_account_key_not_found'
  | 'service_account_not_found'
  | 'service_accounts_not_allowed'
  | 'session_not_found'
  | 'sign_in_not_testable'
  | 'sso_in_use'
  | 'sso_not_enabled'
  | 'system_not_found'
  | 'test_sign_in_not_found'
  | 'too_many_requests'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'user_not_found'
  | 'user_not_in_system'
  | 'user_shared'
  | 'version_conflict'
  | 'webhook_disabled'
  | 'webhook_not_found'

export interface paths {
    "/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description Returns the accounts of all systems, newest first, with the numbers of their members, admins and pending memberships. A service token receives those of its system. The filters are combined with AND.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listAllAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account
         * @description Returns one account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Delete an account
         * @description Deletes the account with its memberships. Their sessions end, and their tokens are invalid. Sends the events `user.access_revoked` for each membership, `session.ended`, and `account.deleted`. A service token cannot delete an account in which the platform has blocked a user (`insufficient_authority`). Accounts of a platform system cannot be deleted (`platform_system`). Audit entry: `account.deleted`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Update an account
         * @description Changes the name of the account, whether its members see each other, and whether an invitation can be accepted with another address than the invited one, and its branding, which active members see. The admin of an account can change it if it is an organization (`not_organization`). Sends the event `account.updated`. Audit entry: `account.updated`.
         *
         *     `metadata` and `externalId` are of the system and the platform: the admin of the account neither reads nor writes them, and reads no audit entry of them. `externalId` is unique in the system (`external_id_taken`); null clears it.
         *
         *     With `requireMfa` a sign-in of a member to the account requires a second factor, which is enrolled there if there is none; sessions that exist continue. The admin of the account can set it as well. Each authority has its own decision, in `requireMfaBy`: true adds that of the caller, false removes it and those of lower authorities, and is refused while a higher authority requires it (`insufficient_authority`).
         *
         *     With `ssoRequired` the memberships open only to a login by an enabled connection of the organization (`connection_required`), not to a password, a passkey or another credential of the user, and all sessions that no connection has opened end. Service accounts and users who act for a member are not affected. The authority that requires it is `ssoRequiredBy`; a lower one cannot undo it (`insufficient_authority`). An admin of the account needs the right to set up single sign-on (`sso_not_enabled`) and, to require it, a token of a sign-in by a connection of the account within the last 5 minutes (`insufficient_user_authentication`). A system has to have `multiAccount` (`not_organization`). Sends the events `account.updated` and `session.ended`. Audit entry: `account.sso_required`.
         *
         *     With `ssoSelfService` the admins of the organization set up its single sign-on, which is its domains and connections. Only the system and the platform change it (`insufficient_authority`).
         *
         *     With the `status` `suspended`, which only the platform and the system set, its sessions end, its members and service accounts get no tokens, its invitations cannot be accepted, and its admins do not administer it. With `active` its keys are accepted again and its members can sign in; sessions that have ended do not continue. The platform and the system suspend it independently, in `suspendedBy`; a suspension by the platform is lifted by the platform only, which also lifts that of the system (`insufficient_authority`). A body that also has `suspendedBy`, `requireMfaBy` or `ssoRequiredBy`, as it was read, decides nothing by the present value. Personal accounts (`not_organization`) and those of platform systems (`platform_system`) are not suspended. Sends the events `account.suspended` and `session.ended`, or `account.resumed`. Audit entries: `account.suspended`, `account.resumed`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if it is an organization; `ssoRequired` where it sets up single sign-on; not `status`, `ssoSelfService`, `metadata` and `externalId`).
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/admin/accounts/{accountId}/branding/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the logo of an organization
         * @description Stores a PNG of at most 32 kB and 1,024 pixels a side as the logo of the organization, instead of the one before. Only what draws the image is kept. `branding` has its address, which contains its hash; active members see it, on pages where they choose an organization and on its own pages. Sends the event `account.updated`. Audit entry: `account.updated`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if it is an organization).
         */
        put: operations["putAccountLogo"];
        post?: never;
        /**
         * Remove the logo of an organization
         * @description Removes the image. Its address responds with 404; browsers may show it for another day. Sends the event `account.updated`. Audit entry: `account.updated`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if it is an organization).
         */
        delete: operations["deleteAccountLogo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connections of an account
         * @description Returns all connections of an account, the oldest first.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listConnections"];
        put?: never;
        /**
         * Create a connection
         * @description Creates a connection to an identity provider of an organization. It is not enabled. With `name` and `kind` alone it is a draft with its `redirectUri`, which many providers ask for before they show a client id and a secret; with `kind: "saml"` with its `acsUrl` and `entityId`.
         *
         *     A connection has the fields of its kind: `clientId`, `clientSecret`, `secretExpiresAt`, `scopes`, `requiredClaims` and `reauthentication` of OpenID Connect, `ssoUrl`, `certificates`, `metadata` and `metadataUrl` of SAML. `metadata` is the document of the provider: it sets `ssoUrl` and `certificates`, and `issuer` if there is none; of another `issuer` it is refused (`metadata_invalid`). `metadataUrl` is its address, from which the server reads it after the response; `lastError` says if it does not take it. Where the setting `SAML` is false, no such connection is created (`saml_disabled`).
         *
         *     An account has at most 5 connections (`limit_reached`). `organizationSso` of the system and `ssoSelfService` of the account decide who sets up connections (`sso_not_enabled`). The account has to be an organization of a system with `multiAccount` (`not_organization`). An issuer at which people of several organizations sign in is refused (`issuer_multi_tenant`). A user must have authenticated within the last 5 minutes.
         *
         *     Audit entry: `connection.created`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`; not `reservedRoles` and `mfa`).
         */
        post: operations["createConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a connection
         * @description Returns one connection of the account. No response contains the client secret.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getConnection"];
        put?: never;
        post?: never;
        /**
         * Delete a connection
         * @description Deletes a connection with its links: created again, it knows no member. The sessions that it has opened end. The last enabled connection of an account that requires single sign-on is not deleted (`connection_required`); with `force`, by the system or the platform, the account stops requiring it. A lower authority than `setBy` does not delete it (`insufficient_authority`). A user must have authenticated within the last 5 minutes.
         *
         *     Sends the event `connection.disabled` if the connection was enabled. Audit entry: `connection.deleted`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not what the system or the platform has set up).
         */
        delete: operations["deleteConnection"];
        options?: never;
        head?: never;
        /**
         * Update a connection
         * @description Changes a connection. `issuer` and `subjectAttribute` do not change after the first test that succeeded (`connection_fixed`): create another connection. `enabled: true` needs such a test (`connection_untested`). A change of what a test checks ends the test in progress. With `enabled: false` the sessions that the connection has opened end: enabled again, it accepts no sign-in from before. The last enabled connection of an account that requires single sign-on is not disabled (`connection_required`); with `force`, by the system or the platform, the account stops requiring it. `sessionHours` is for later sign-ins.
         *
         *     A lower authority than `setBy` does not change a connection, and an account admin does not change `reservedRoles`, `mfa` and `setBy` (`insufficient_authority`). If an account admin changes `issuer`, `clientId`, `requiredClaims`, `closedIssuer`, `subjectAttribute`, `ssoUrl`, `certificates` or `metadataUrl`, `reservedRoles` becomes false and `mfa` null: the system and the platform decide again. Who has lost the right to set up connections still disables those of its authority. A user must have authenticated within the last 5 minutes.
         *
         *     Sends the events `connection.enabled` and `connection.disabled`. Audit entries: `connection.updated`, `connection.metadata_changed` for what `metadata` or `metadataUrl` has changed, `connection.enabled`, `connection.disabled`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`; not `reservedRoles` and `mfa`; not what the system or the platform has set up).
         */
        patch: operations["updateConnection"];
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections/{connectionId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last sign-ins and tests of a connection
         * @description Returns the last 200 of 14 days, the newest first: what was refused and why. There are no claims, tokens or secrets in it.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listConnectionAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections/{connectionId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links of a connection
         * @description Returns the members whom the connection knows, and the subject of each at the provider, newest first. A link is made by the first sign-in of a member, or imported. It ends with the membership and with the connection.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listConnectionLinks"];
        put?: never;
        /**
         * Import links of a connection
         * @description Links members to their subjects at the provider, up to 1,000 at once: for a product that moves in with subjects that it knows already. Without it, the first sign-in links a member by the address. Only members with an address in a verified domain of the account are linked. Each link of the request has a result, and one that is refused does not prevent the others. A link that exists already is no failure. A user must have authenticated within the last 5 minutes.
         *
         *     Audit entry for each link: `connection.linked`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["importConnectionLinks"];
        /**
         * Delete the links of a connection
         * @description Deletes all links of a connection, and ends the sessions that it has opened. The memberships remain, and the next sign-in of each member links again. A lower authority than `setBy` does not do it (`insufficient_authority`). A user must have authenticated within the last 5 minutes.
         *
         *     Audit entry: `connection.unlinked`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not what the system or the platform has set up).
         */
        delete: operations["deleteConnectionLinks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections/{connectionId}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the sessions of a connection
         * @description Ends all sessions that the connection has opened, and refuses its sign-ins until now: each member signs in at the provider again. Other sessions of the members go on. A lower authority than `setBy` does not do it (`insufficient_authority`).
         *
         *     Sends `session.ended` for each session. Audit entry: `connection.sessions_ended`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not what the system or the platform has set up).
         */
        delete: operations["endConnectionSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/connections/{connectionId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a connection
         * @description Begins a test in place of one in progress, and returns its address. It works in the first browser that opens it, for 30 minutes or until the test succeeds. Its page leads to the provider, and then shows what the provider states, and what a sign-in would meet. The test starts no session, and the user of the browser stays signed in. One that succeeded sets `testedAt`; then the connection can be enabled. A change of what a test checks ends it, and so does the loss of the right of the user who has requested it.
         *
         *     `missing` has to be empty (`connection_incomplete`). Ten tests are allowed at once for an account, then ten a minute (`too_many_requests`). A user must have authenticated within the last 5 minutes.
         *
         *     Audit entries: `connection.test_requested`, and `connection.tested` when it succeeded.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`; not `reservedRoles` and `mfa`; not what the system or the platform has set up).
         */
        post: operations["testConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of an account
         * @description Returns all domains of an account, by name.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a domain
         * @description Adds a domain of email addresses to an organization. It is `pending` until a check finds its TXT record: publish `record` where the domain is managed. The server checks after 1, 5 and 15 minutes, then hourly for a week; a domain that is still pending after 30 days is deleted. A verified domain is checked daily, and lapses if the record is missing for 7 days, or no name server answers for 30 days.
         *
         *     Several organizations can verify one domain, each with a record of its own. An account has at most 50 domains (`limit_reached`).
         *
         *     `organizationSso` of the system and `ssoSelfService` of the account decide who sets up domains (`sso_not_enabled`). The account has to be an organization of a system with `multiAccount` (`not_organization`). A user must have authenticated within the last 5 minutes.
         *
         *     Sends the events `domain.verified` and `domain.lapsed` when the checks have that result. Audit entries: `domain.added`, `domain.verified`, `domain.lapsed`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`).
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/domains/{domainId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a domain
         * @description Returns one domain of the account, with what the last check has found.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a domain
         * @description Deletes a domain. Added again, it needs a new record. A lower authority than `setBy` does not delete it (`insufficient_authority`). A user must have authenticated within the last 5 minutes.
         *
         *     Sends the event `domain.removed` if the domain was verified. Audit entry: `domain.removed`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not what the system or the platform has added).
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        /**
         * Update a domain
         * @description Changes whether the domains below it belong to it, or the authority that it is of. A lower authority than that does not change it (`insufficient_authority`). A user must have authenticated within the last 5 minutes.
         *
         *     Audit entry: `domain.updated`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`; not what the system or the platform has added).
         */
        patch: operations["updateDomain"];
        trace?: never;
    };
    "/admin/accounts/{accountId}/domains/{domainId}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a domain now
         * @description Makes a check of the domain due. It begins within a second, and the domain has its result when `checking` is false. Ten are allowed at once for an account, then one every 6 minutes (`too_many_requests`). A lapsed domain is verified again if the record is there.
         *
         *     Audit entry: `domain.check_requested`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        post: operations["checkDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations of an account
         * @description Returns the invitations of an organization, newest first. Those that have ended are deleted 90 days later. A member who was invited is found by `listAccountMembers`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite an address
         * @description Sends an email with a link by which whoever has the mailbox joins the organization: with a new account, or with the one that has the address. The response is the same for every address, whether or not it has a user; only a member of the account is refused (`membership_exists`).
         *
         *     The membership is `active` if the platform or the system invited. With `requireAdminActivation` it is `pending` if the admin of the account did. Roles and profiles that do not exist any more at acceptance are left out. An account sends at most `INVITATIONS_PER_DAY` of these emails in 24 hours, a system `SYSTEM_INVITATIONS_PER_DAY`, and all its account admins together as many again; an address gets at most three from an account, then one an hour (`too_many_requests`). It has at most 1,000 pending invitations (`limit_reached`), with as many roles and profiles as a membership can have. Only organizations have invitations (`not_organization`).
         *
         *     Sends the event `invitation.created`; later `invitation.accepted`, `invitation.declined`, `invitation.revoked` or `invitation.expired`. Audit entry: `invitation.created`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; it receives no link).
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invitation
         * @description Returns one invitation of the account. Its link is never returned.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Makes the link of a pending invitation invalid. The invitation remains in the list. Does nothing if it has ended. Sends the event `invitation.revoked`. Audit entry: `invitation.revoked`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/invitations/{invitationId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend an invitation
         * @description Sends a pending invitation again, with a new link and a new lifetime. The previous link is invalid. Audit entry: `invitation.resent`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/invitations/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite several addresses
         * @description As `createInvitation`, for up to 100 addresses. Each is invited on its own: the others are invited if one is refused.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; it receives no link).
         */
        post: operations["createInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of an account
         * @description Returns the memberships of the account, newest first.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listAccountMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/members/{membershipId}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete the link of a member
         * @description Deletes the links between a member and the connections of the account, and ends the sessions that rest on them. The next sign-in links again, also with another subject: for a person who was created again at the provider. Without a link nothing changes. Links at connections that a higher authority has set up remain. If there are no others, or the caller is an account admin and the membership has a role that only the system assigns, the operation is refused (`insufficient_authority`). A user must have authenticated within the last 5 minutes.
         *
         *     Audit entry for each link: `connection.unlinked`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        delete: operations["deleteMemberLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/service-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the service accounts of an account
         * @description Returns all service accounts of an account with their keys, oldest first. No secret is returned.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listServiceAccounts"];
        put?: never;
        /**
         * Create a service account
         * @description Creates a program of a tenant, with roles of the system. It has no key yet: see `createServiceAccountKey`. With a key it gets access tokens at `/token` (`grant_type=client_credentials`, its `clientId` and the key as the client secret). Their audience is the client id of the system; `sub` is the `clientId` of the service account, and `account_id`, `roles`, `permissions` and `is_admin` are as for a member. They are not accepted by the admin API.
         *
         *     The system needs `allowServiceAccounts` (`service_accounts_not_allowed`), and the account has to be an organization (`not_organization`). An account has at most 50 service accounts (`limit_reached`).
         *
         *     Sends the event `service_account.created`. Audit entry: `service_account.created`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        post: operations["createServiceAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/service-accounts/{serviceAccountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a service account
         * @description Returns one service account of the account with its keys. No secret is returned.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getServiceAccount"];
        put?: never;
        post?: never;
        /**
         * Delete a service account
         * @description Deletes a service account with its keys. Its tokens are rejected as those of a disabled one.
         *
         *     Sends the event `service_account.deleted`. Audit entry: `service_account.deleted`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not for a service account with a role that it cannot assign).
         */
        delete: operations["deleteServiceAccount"];
        options?: never;
        head?: never;
        /**
         * Update a service account
         * @description Changes the name, replaces the roles, or disables and enables it. Roles apply to tokens that are issued from now on. A disabled one gets no tokens; applications that follow the events reject its earlier tokens within a second, others until they expire.
         *
         *     Sends the event `service_account.disabled`, `service_account.enabled` or, if neither, `service_account.updated`. Audit entry: `service_account.updated`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not for a service account with a role that it cannot assign).
         */
        patch: operations["updateServiceAccount"];
        trace?: never;
    };
    "/admin/accounts/{accountId}/service-accounts/{serviceAccountId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a key of a service account
         * @description Returns a new secret, which is stored as a hash and never returned again. All keys of a service account are valid side by side: to replace one, create another, use it, and revoke the first. It has at most 5 keys (`limit_reached`); a key that has expired gives way to a new one. A user must have authenticated within the last 5 minutes.
         *
         *     Sends the event `service_account.key_created`. Audit entry: `service_account.key_created`.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account; not for a service account with a role that it cannot assign).
         */
        post: operations["createServiceAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/service-accounts/{serviceAccountId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key of a service account
         * @description The key gets no more tokens. Applications that follow the events reject the tokens that were issued for it within a second, others until they expire.
         *
         *     Sends the event `service_account.key_revoked`. Audit entry: `service_account.key_revoked`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        delete: operations["revokeServiceAccountKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * @description Returns the entries of the audit log, newest first. The filters are combined with AND. A service token receives the entries of its system, the admin of an account those of the account. Of an actor who is not its own both learn only the `type`; `id`, `ip`, `userAgent` and `via` are null, and no filter finds them. Own are: to a system its client, its users, its operators and the admins of its accounts; to an account its members and the client of its system; never a user who acts with platform authority. No operation changes or deletes entries; the retention settings do.
         *
         *     **Authority:** `platform`; `system` (the entries of its system; of actors who are not its own only the type); `account` (the entries of the account; of actors who are not its own only the type).
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the checkpoint of the audit log
         * @description Returns the hash of the newest block of the audit log, signed by the server. Entries are added to a block about a minute after they were written. Keep checkpoints outside of the database: `npm run audit:verify -- --checkpoint FILE` then proves that nothing up to this block was changed or removed.
         *
         *     **Authority:** `platform`.
         */
        get: operations["readAuditCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Returns events in the order of the log, oldest first. To follow the log, call it again with `after` set to the `next` of the last response: at once if `more` is true, after a while otherwise. Without `after` it starts with the oldest event that is stored. A service token receives the events of its system.
         *
         *     410 `cursor_expired` means that the events after the cursor have been deleted: synchronize everything anew.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a sign-in
         * @description Returns each step of a sign-in of one user to one system from a new browser: what would be passed, asked or refused, why, and the operation that changes it. Nothing is executed. Decided with the rules of the real sign-in. The password is assumed to be right; the sign-in is one with the password, if the user has one.
         *
         *     The user is named by `userId`, `email` or `requestId`. The platform also names the system, unless the request does. A user who is not in the caller's system, or not in its account, is answered like one that does not exist. A system does not receive what is valid elsewhere: credentials of the user, guesses, and flags that the platform has set before the user has entered the system. The admin of an account receives the membership and what the system requires of everyone. Steps that are not shown have the code `not_shown`, and `complete` is false.
         *
         *     **Authority:** `platform`; `system`; `account` (the members of the account, without facts about them outside of it).
         */
        get: operations["explainSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/installation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the installation
         * @description Returns the version, the database with the size of each table, the server processes with their versions, the migrations that are missing, how email is sent, and the effective settings of the process that responds. Secrets are not included, only whether they are set; addresses have no user name and no password.
         *
         *     **Authority:** `platform`.
         */
        get: operations["getInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List background jobs
         * @description Returns the jobs that changes have left behind, newest first, until 30 days after they have finished. A change of more than about a thousand rows is effective with its response; its job writes the audit entries and events of the single rows, and deletes rows. A service token receives the jobs of its system.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a background job
         * @description Returns a job with its progress. A batch that fails is repeated until it succeeds.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signing keys
         * @description Returns the published signing keys, newest first: `next` is published and does not sign yet, `active` signs, `retired` verifies tokens that are still valid.
         *
         *     **Authority:** `platform`.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing keys
         * @description Publishes new signing keys, as `npm run keys:rotate`. They sign after 15 minutes, when every verifier has read them; the present ones stay published until the tokens that they signed have expired. Audit entry: `signing_keys.rotated`.
         *
         *     **Authority:** `platform`.
         */
        post: operations["rotateKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users who have to wait
         * @description Returns who has to wait after too many wrong passwords, second factors or emailed codes, and until when: at most 100 limits, the longest wait first. With `userId` also the limits of this user that allow another attempt. Which network or browser the attempts came from is not stored; the audit log has the address of each. The limits of a network at the passwords of all users, of emails and of device codes are not listed.
         *
         *     A service token reads the attempts at the sign-in to its system, by network or browser. The attempts of all networks together are counted for all systems, and are shown to the platform only.
         *
         *     **Authority:** `platform`; `system` (the attempts at the sign-in to the system, by network or browser).
         */
        get: operations["listLimits"];
        put?: never;
        post?: never;
        /**
         * Clear the limits of a user
         * @description Forgets the wrong passwords, second factors and emailed codes that were counted for the user, so that the next attempt is checked at once. A service token clears what `listLimits` shows it. Audit entry: `user.limits_cleared`.
         *
         *     **Authority:** `platform`; `system` (the attempts at the sign-in to the system, by network or browser).
         */
        delete: operations["clearLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List emails
         * @description Returns the emails of the queue, newest first, without their content. Recipients are masked: the first character and the domain are shown.
         *
         *     **Authority:** `platform`.
         */
        get: operations["listMail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/mail/{emailId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an email
         * @description Returns an email of the queue without its content. `problem` is the kind of the error of the last attempt: `host_unknown`, `unreachable`, `timeout` and `encryption` concern the connection to the mail server, `authentication` its user name and password, `sender` the address of `MAIL_FROM`, `recipient` the address of the recipient. An email that is `pending` is sent again; one that was sent has no error.
         *
         *     **Authority:** `platform`.
         */
        get: operations["getMail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test email
         * @description Queues an email with a fixed text, as every other email is queued, to `email`, or without it to the user who calls; a service must name an address. The response does not wait for the mail server: read the email by its id until its `status` is not `pending` or it has a `problem`. It expires after ten minutes.
         *
         *     A caller sends ten at once, then one per minute; an address receives three, then one per hour, else 429 `too_many_requests`. Audit entry: `mail.tested`.
         *
         *     **Authority:** `platform`.
         */
        post: operations["sendTestEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memberships
         * @description Returns memberships, newest first. The filters are combined with AND. A service token receives the memberships of its system, the admin of an account those of the account. `user` has the email address and the name as the system reads them, and `query` compares these.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listMemberships"];
        put?: never;
        /**
         * Create a membership
         * @description Gives a user access to an account of a system. With `systemId` a new account is created, named `accountName`; with `accountId` the user becomes a member of an existing account. Without `status` the membership is `pending` if the system has `requireAdminActivation`, otherwise `active`. Sends the event `user.access_granted` or `user.access_requested`, and `account.created` for a new account. Audit entry: `membership.created`.
         *
         *     The user is named by `userId` or by `email`: a system names its own users by the address that it reads, and its other addresses count as asked (`too_many_requests`). By `userId` a system adds a user who is none of its users and has changed the address before only within 24 hours after it has named the present address; otherwise the response is `user_not_found`. The admin of an account adds users who are already members of the system, by `userId`; for any other, existing or not, the response is `user_not_found`. An address is invited instead (`createInvitation`), which answers alike for every address. With `requireAdminActivation` the membership that an account admin adds is `pending`, whatever `status` is.
         *
         *     A user who was blocked by a higher authority cannot be added again (`insufficient_authority`), also after the membership was deleted: a block by the platform covers all accounts of the system, one by the system the account. The authority that blocked the user, or a higher one, lifts the block by creating the membership.
         *
         *     A user has at most 1,000 memberships in a system; the limits of roles and profiles are those of `updateMembershipRoles` and `updateMembershipProfiles` (`limit_reached`).
         *
         *     Where the system does not have `multiAccount`, only the platform creates memberships: a user then has one account (`account_taken`) and an account one member (`account_occupied`).
         *
         *     **Authority:** `platform`; `system` (with `multiAccount` only); `account` (members of the system, by `userId`, into its own account, with `multiAccount` only).
         */
        post: operations["createMembership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/memberships/{membershipId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a membership
         * @description Returns one membership.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getMembership"];
        put?: never;
        post?: never;
        /**
         * Delete a membership
         * @description Removes the user from the account. The sessions of the membership end. The account and a block remain. Sends the event `user.access_revoked`. Audit entry: `membership.deleted`. The admin of an account cannot remove its last active admin.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin).
         */
        delete: operations["deleteMembership"];
        options?: never;
        head?: never;
        /**
         * Change the status or the exemption of a membership
         * @description Activates or blocks the membership. A blocked member cannot sign in to the account, and the sessions of the membership end. Sends the event `user.access_granted`, `user.access_restored` or `user.access_blocked`; the audit entry is `membership.granted`, `membership.restored` or `membership.blocked`. A membership cannot become `pending` again. The admin of an account cannot block its last active admin.
         *
         *     A membership is activated by the authority that blocked it or by a higher one (platform, system, account); for others the response is `insufficient_authority`. With `requireAdminActivation` the admin of an account can activate only memberships that were active before.
         *
         *     With `ssoExempt`, a member of an organization that requires single sign-on also signs in with their own credentials and a second factor that they have. Nothing is enrolled in such a sign-in. It needs a second factor that counts in the system (`factor_missing`); one that is valid everywhere counts once the user has entered the system. Only factors that the member has at that time count, and those that the member enrolls with one of them. The admins of an account exempt others, not themselves, and where they may set up single sign-on (`sso_not_enabled`). Where a higher authority requires single sign-on, only it exempts, and an exemption by a lower one does not count; what a higher one has set, a lower one does not end (`insufficient_authority`). The other admins of the account get an email (at most 20). `false` ends the sessions of the membership that no connection has opened, if the organization requires single sign-on. Audit entry: `membership.sso_exempt`. A membership as it was read, sent back with `ssoExemptBy`, changes nothing of it.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin; `ssoExempt` of others, where it sets up single sign-on).
         */
        patch: operations["updateMembership"];
        trace?: never;
    };
    "/admin/memberships/{membershipId}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the profiles of a membership
         * @description Replaces the profiles by `profiles`, or changes them by `add` and `remove`. Access tokens contain the change after the next refresh. Sends the event `user.access_updated`. Audit entry: `membership.profiles_changed`. A membership has at most 50 profiles (`limit_reached`).
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        patch: operations["updateMembershipProfiles"];
        trace?: never;
    };
    "/admin/memberships/{membershipId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the roles of a membership
         * @description Replaces the roles by `roles`, or changes them by `add` and `remove`. Access tokens contain the change after the next refresh. Sends the event `user.access_updated`. Audit entry: `membership.roles_changed`. The admin of an account cannot remove its last active admin, nor assign or remove roles with `assignableByAccountAdmins` false (`insufficient_authority`).
         *
         *     A membership has at most 50 roles, with 500 different scopes and 8,192 bytes of names and scopes (`limit_reached`).
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin).
         */
        patch: operations["updateMembershipRoles"];
        trace?: never;
    };
    "/admin/names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get names by id
         * @description Returns the type and the name of each of up to 200 ids: of users, systems, accounts, roles, profiles, memberships, service accounts and webhooks, and of systems also by client id. Ids that do not exist, or that the caller cannot read, are missing in the response. A user without a name that the caller reads has the email address as name. The admin of an account receives its members only.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operators
         * @description Returns the users who use the console for the installation or for one system, newest first. The admins of the platform system use it too and are not in this list.
         *
         *     **Authority:** `platform`.
         */
        get: operations["listOperators"];
        put?: never;
        /**
         * Add an operator
         * @description Lets a user use the console for the installation (`systemId` null) or for one system, which is not a platform system. An operator obtains no token with this authority. Requires a recent authentication of a user. Audit entry: `operator.created`.
         *
         *     **Authority:** `platform`.
         */
        post: operations["createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/operators/{operatorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an operator
         * @description The next request of the user to the console is refused. Requires a recent authentication of a user. Audit entry: `operator.deleted`.
         *
         *     **Authority:** `platform`.
         */
        delete: operations["deleteOperator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search everything
         * @description Returns up to 20 resources that the caller can read. An id finds the user, system, account, role, profile, membership, webhook, session or request that has it. Any other text finds users by the email address and the name that the caller reads, systems by name and client id, and accounts by name and `externalId`; the admin of an account finds memberships by the email address and the name of the user. Those that start with the text come first, then the newest.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Returns the active sessions, newest first. A service token receives the sessions of its system, the admin of an account those of the account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/{jti}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends the session that has this `sid`, or whose token has this `jti`. The `jti` of a service token ends this token. The tokens of a session that has ended are rejected by all endpoints of this server at once. If the system has a `backchannelLogoutUri`, it receives a logout token (OpenID Connect Back-Channel Logout 1.0). Each session causes an event `session.ended`. Audit entry for each session: `session.ended`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/by-system/{systemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the sessions of a system
         * @description Ends all sessions of all users in the system. The tokens of a session that has ended are rejected by all endpoints of this server at once. If the system has a `backchannelLogoutUri`, it receives a logout token (OpenID Connect Back-Channel Logout 1.0). Each session causes an event `session.ended`. Audit entry for each session: `session.ended`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["endSystemSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/by-user/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the sessions of a user
         * @description Ends all sessions of the user that are within the reach of the caller. The tokens of a session that has ended are rejected by all endpoints of this server at once. If the system has a `backchannelLogoutUri`, it receives a logout token (OpenID Connect Back-Channel Logout 1.0). Each session causes an event `session.ended`. Audit entry for each session: `session.ended`.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        delete: operations["endUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stats/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a metric over time
         * @description Returns a metric by hour or day, for charts: `times` are the starts of the buckets in UTC, in seconds since 1970, and each series has one value for each of them. At most 744 hours or 400 days; hours are kept for RETENTION_STATS_HOURS_DAYS, days for RETENTION_STATS_DAYS. By default from 24 hours, or 30 days, ago.
         *
         *     `sign_ins`: sign-ins with a password, a passkey or another identity provider. `failures`: those that were refused, by reason: because of a credential, or by a rule of the system. `tokens`: responses of the token endpoint, by grant. `deliveries`: attempts to call a webhook, by class of the response. `emails`: by outcome; `left_out`: notifications that a limit does not allow. `active_users`: users who were active in the 1, 7 or 30 days up to the end of a day, which are counted when it is over. The numbers are written every ten seconds; a process that is killed loses those of up to ten seconds.
         *
         *     A service token receives the numbers of its system. `by=system` requires platform authority, and returns the 20 systems with the greatest numbers.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stats/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the present numbers
         * @description Returns the numbers of a start page: of the last 24 hours and the same hours a week before, of users who were active, of active sessions and of what needs attention. A service token receives the numbers of its system, the admin of an account those of the account. Up to 30 seconds old; sessions, memberships and webhooks are counted up to 10,000.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List systems
         * @description Returns the systems, newest first. A service token receives only its own system.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listSystems"];
        put?: never;
        /**
         * Create a system
         * @description Registers a client application. The response is the only one that contains the `clientSecret`: store it. `rotateSystemSecret` replaces it. A public client (`clientType` `public`) has no secret. The type of a client cannot be changed later. Audit entry: `system.created`.
         *
         *     **Authority:** `platform`.
         */
        post: operations["createSystem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a system
         * @description Returns one system, without its client secret.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        /**
         * Delete a system
         * @description Deletes the system with its roles, profiles, accounts, memberships and webhooks. All its sessions end. Each membership causes an event `user.access_revoked`. A platform system cannot be deleted. Audit entry: `system.deleted`.
         *
         *     **Authority:** `platform`.
         */
        delete: operations["deleteSystem"];
        options?: never;
        head?: never;
        /**
         * Update a system
         * @description Changes the fields in the body and leaves the others as they are; lists are replaced as a whole. The change takes effect at the next request of the client. Audit entry: `system.updated`.
         *
         *     `multiAccount` can be turned off only if each user of the system has one account (`account_taken` otherwise) and each account has one member (`account_occupied` otherwise).
         *
         *     **Authority:** `platform`; `system` (all but `multiAccount`, `skipConsent`, `allowClientCredentials`, `allowDeviceFlow`, `allowActingForMembers`, `allowServiceAccounts`, `requirePkce`, `emailFrom`, `emailReplyTo`, with `skipConsent` the scopes `phone` and `address`, and the keys of a client that `SERVICE_TOKEN_REACH` gives platform authority).
         */
        patch: operations["updateSystem"];
        trace?: never;
    };
    "/admin/systems/{systemId}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts of a system
         * @description Returns the accounts of the system, newest first, with the number of their members. The admin of an account receives only this account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an account
         * @description Creates an account without members, in a system with `multiAccount`. `createMembership` with its `accountId` adds members; with `systemId` it creates an account itself. A system can have at most 20,000 accounts that have had no member (`limit_reached`). Sends the event `account.created`. Audit entry: `account.created`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/branding/{image}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload an image of a system
         * @description Stores a PNG of at most 256 kB and 1,024 pixels a side as the logo of the system, the logo in dark mode, or the icon of its pages in the browser, instead of the one before. Only what draws the image is kept: metadata and animation are removed. `branding` has its address, which contains its hash; pages and emails show it. Audit entry: `system.updated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        put: operations["putSystemImage"];
        post?: never;
        /**
         * Remove an uploaded image of a system
         * @description Removes the image. Its address responds with 404; browsers may show it for another day. Audit entry: `system.updated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["deleteSystemImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/email-texts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the kinds of emails
         * @description Returns the kinds of emails that a system can have texts of its own for: who writes them, the names of the values that a text can have, and the languages in which the system has texts.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listEmailTexts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/email-texts/{kind}/{locale}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the texts of an email
         * @description Returns the texts that the system has of its own for a kind in a language, the email with them, and the email with the texts of the server.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getEmailText"];
        /**
         * Set the texts of an email
         * @description Replaces the texts of a kind in a language; null or missing: the text of the server. `{{name}}` is replaced by a value that `listEmailTexts` names for the kind; other braces are refused. Texts are plain text: no markup and no line breaks. The platform writes all kinds; a system those that go to its active members (`access_approved`, `access_requested`), unless the platform has written them: 403 `insufficient_authority` otherwise. Audit entry: `system.email_text_updated`.
         *
         *     **Authority:** `platform`; `system` (the kinds that go to its active members, unless the platform has written them).
         */
        put: operations["putEmailText"];
        post?: never;
        /**
         * Reset the texts of an email
         * @description Resets the texts of a kind in a language to those of the server. The platform writes all kinds; a system those that go to its active members (`access_approved`, `access_requested`), unless the platform has written them: 403 `insufficient_authority` otherwise. Audit entry: `system.email_text_reset`.
         *
         *     **Authority:** `platform`; `system` (the kinds that go to its active members, unless the platform has written them).
         */
        delete: operations["deleteEmailText"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/email-texts/{kind}/{locale}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview texts of an email
         * @description Returns the email with these texts and values of a sample. Stores and sends nothing.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["previewEmailText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/email-texts/{kind}/{locale}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test of an email
         * @description Sends the email with its present texts and values of a sample to the user who calls. Its link opens the pages of the user, and its code is none. A service has no address (`invalid_request`). At most ten, then one per minute. Audit entry: `system.email_text_tested`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["testEmailText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles
         * @description Returns the profiles of the system, newest first. The admin of an account can read the profiles of the system of the account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listProfiles"];
        put?: never;
        /**
         * Create a profile
         * @description Creates a profile in the system. Two profiles of a system cannot have the same name. The meaning of the attributes is defined by the application. `updateMembershipProfiles` assigns profiles to memberships. Audit entry: `profile.created`. A system has at most 500 profiles (`limit_reached`).
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["createProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/profiles/{profileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a profile
         * @description Returns one profile of the system.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        /**
         * Delete a profile
         * @description Deletes the profile and removes it from all memberships. Each of these memberships causes an event `user.access_updated`. Audit entry: `profile.deleted`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["deleteProfile"];
        options?: never;
        head?: never;
        /**
         * Update a profile
         * @description Changes the fields in the body and leaves the others as they are; `attributes` is replaced as a whole. Access tokens contain the name of the profile after the next refresh. If the name or the attributes change, each membership with the profile causes an event `user.access_updated`. Audit entry: `profile.updated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/admin/systems/{systemId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Returns all roles of the system, newest first, as an array and not as a page. The admin of an account can read the roles of the system of the account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description Creates a role in the system. Two roles of a system cannot have the same name. `updateMembershipRoles` assigns roles to memberships. The first admin role of the system becomes its `founderRoleId`. A system has at most 500 roles (`limit_reached`). Audit entry: `role.created`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/roles/{roleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a role
         * @description Returns one role of the system.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getRole"];
        put?: never;
        post?: never;
        /**
         * Delete a role
         * @description Deletes the role and removes it from all memberships. Each of these memberships causes an event `user.access_updated`. The last admin role of a system that has accounts is deleted only if `force` is true (`last_admin_role`): without it these accounts have no admins. Audit entry: `role.deleted`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        /**
         * Update a role
         * @description Changes the fields in the body and leaves the others as they are. Access tokens contain the change after the next refresh. Each membership with the role causes an event `user.access_updated`. Audit entry: `role.updated`.
         *
         *     It is refused with `limit_reached` if a member with the role would have more than 500 different scopes in a token, or more than 8,192 bytes of them.
         *
         *     If the role has these values already, nothing is recorded and no event is sent.
         *
         *     **Authority:** `platform`; `system`.
         */
        patch: operations["updateRole"];
        trace?: never;
    };
    "/admin/systems/{systemId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the client secret
         * @description Replaces the client secret of a confidential client. The response is the only one that contains the new secret. The old secret and the service tokens issued for it are rejected from now on, or after `graceSeconds`; this includes the token of this request. Sends the event `system.secret_rotated`. Audit entry: `system.secret_rotated`.
         *
         *     **Authority:** `platform`; `system` (not if `SERVICE_TOKEN_REACH` gives its service tokens platform authority).
         */
        post: operations["rotateSystemSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/test-sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a test of the sign-in
         * @description Returns an address that a user opens in a browser to sign in to the system without its application. The user authenticates as always. Instead of the application, a page of this server shows what it would have received: the claims of an access token, and the steps of the sign-in. No code is issued, no session is opened, and nothing is sent to the redirect URI. Steps that would change something, such as joining, the consent and a new password, are listed and not executed.
         *
         *     The result is returned by `getTestSignIn` after the user has shared it. A system can have 50 tests that have not expired. A system that accepts only pushed or signed requests cannot be tested. Audit entry: `test_sign_in.created`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["createTestSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/test-sign-ins/{testSignInId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a test of the sign-in
         * @description Returns a test and, after the user has shared it, the result. Before that, nothing about the user is returned. Tests are deleted a day after they expire.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getTestSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns the webhooks of the system, newest first, without their secrets.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Registers an HTTPS endpoint that receives the events of the system from now on. The response is the only one that contains the `secret` that signs the requests: store it. Requests are signed as the Standard Webhooks specification defines. Audit entry: `webhook.created`. A system has at most 20 webhooks (`limit_reached`).
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Returns one webhook of the system, without its secret.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook and all its deliveries. Pending deliveries are not sent. Audit entry: `webhook.deleted`.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the fields in the body and leaves the others as they are. While `enabled` is false no deliveries are queued; after it is enabled again, `resendEvents` sends the events of that time. A new `url` receives the pending deliveries at once. Audit entry: `webhook.updated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Returns the deliveries of the webhook, newest first, each with the body of its requests and its latest attempts. Only the platform receives the body that the endpoint responded with (`answer`).
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns one delivery of the webhook with the body of its requests and its attempts. The headers of an attempt are `webhook-id`, which is `eventId`, `webhook-timestamp`, which is the `time` of the attempt in seconds, and `webhook-signature`, which is not stored.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend a delivery
         * @description Queues one delivery again, whatever its status. The webhook must be enabled. Audit entry: `webhook.resent`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend events
         * @description Queues deliveries of all events after a position of the event log, for example after an outage of the endpoint. Up to 10,000 events are read: if `next` is not null, repeat the request with it as `after`. The webhook must be enabled. Audit entry: `webhook.resent`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["resendEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the webhook secret
         * @description Replaces the secret that signs the requests. The response is the only one that contains the new secret. For `graceSeconds` each request has a signature by the old secret as well. Audit entry: `webhook.secret_rotated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/systems/{systemId}/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Queues a delivery of the event `webhook.test` to this webhook. The outcome is in `listDeliveries`. Audit entry: `webhook.tested`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Returns the users, newest first. A service token receives the users of its system: those with a membership there, and those it has created. With `email` it also receives a user of another system who has exactly this address, as `id` and `email` only, so that it can create a membership for them; not with other filters. Searches by address, creations, imports and dry runs of a system ask about at most 100,000 addresses in 24 hours that are not of its users; then 429 with `Retry-After`.
         *
         *     `query` finds users by a part of the email address or of the name, of those that the response contains. It never finds a user of another system.
         *
         *     The filters are combined with AND. They refer to the values that the caller reads: of `disabled`, for example, to what its system states and, once the user has entered the system, what the platform states.
         *
         *     **Authority:** `platform`; `system` (users of its system, not by `mfa`, `hasPassword` or the last sign-in; by complete address also others, as `id` and `email`).
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Creates a user with a `password`, with a `passwordHash` of another system, or without a password. `sendPasswordReset` lets the user choose one. The user has no access to a system before `createMembership`. All that a service token sends except the address, also the password, is valid in its own system only. If the address has a user, the error `email_taken` names it in `userId`. Sends the event `user.created`. Audit entry: `user.created`. A system can have created at most 20,000 users without a membership in it (`limit_reached`).
         *
         *     **Authority:** `platform`; `system` (yes; the user is a user of its system).
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns one user.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Deletes the user with all memberships, credentials, identities and sessions, and removes personal data from the audit log. Each membership causes an event `user.access_revoked`; `user.deleted` follows. A personal account that has other members becomes an organization. Audit entry: `user.deleted`.
         *
         *     A service token removes the user from its system: memberships, statements and credentials of that system. The user is deleted too if nothing else is stored about them.
         *
         *     **Authority:** `platform`; `system` (users of its system; what other systems and the user have remains).
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Changes the fields in the body and leaves the others as they are; `metadata` is replaced as a whole. Sends the event `user.updated`. Audit entry: `user.updated`.
         *
         *     A new `email` is unverified unless the body says otherwise, makes links in earlier emails invalid, and both addresses are notified. The password, factors and identities that the user has by then are valid only together with a code that the next sign-in emails to the new address; the code confirms them. Restoring the previous address, if it was verified, makes them valid again. Credentials of a system are not affected. `disabled` true ends all sessions of the user and prevents new ones.
         *
         *     A service token changes what its system states about the user: it is valid in that system only, `null` removes a value there, and a field that is not stated is the user's own once they have signed in to the system. It changes no address (`user_shared`).
         *
         *     **Authority:** `platform`; `system`.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/admin/users/{userId}/disable-mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the second factors
         * @description Deletes the authenticator apps, passkeys and recovery codes of the user, for example after the loss of a device. All sessions of the user end, and the user is notified by email. Sends the event `user.updated`. Audit entry: `user.mfa_disabled`. If no factor is enrolled, nothing happens.
         *
         *     With a service token: deletes the factors of its system, and in that system refuses the others that are enrolled. Only sessions of that system end.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["disableUserMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the data of a user
         * @description Returns all stored data about the user as one document (GDPR, articles 15 and 20), without secrets. Of sessions, audit entries, emails and links the latest 10,000 each; `activity` has the days (UTC) on which the user was active in a system, of the 64 that end with the last one. `stated` of a membership is what the organization states of the user, and `connectionLinks` how its connections know them. A service token receives only what belongs to its system. Audit entry: `user.exported`.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the second factors
         * @description Returns each authenticator app and each passkey of the user, oldest first, with the system in which it is valid; without one it is valid everywhere. The time of the last use of an app is exact to 30 seconds.
         *
         *     With a service token: the factors that are valid in its system only.
         *
         *     **Authority:** `platform`; `system` (factors of its users that are valid in the system only).
         */
        get: operations["listUserFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/factors/{factorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a second factor
         * @description Deletes an authenticator app or a passkey of the user, for example after the loss of a device. The others remain; with the last one of the same validity the recovery codes are deleted too. The sessions in which it could have been used end: all sessions of the user, or those of the system in which the factor is valid. The user is notified by email, and can sign in with the factors that remain. A user who has neither a password nor another passkey can only choose a password by an emailed link. Sends the event `user.updated`. Audit entry: `user.factor_removed`.
         *
         *     With a service token: only a factor that is valid in its system only.
         *
         *     **Authority:** `platform`; `system` (factors of its users that are valid in the system only).
         */
        delete: operations["deleteUserFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/resend-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a verification email
         * @description Sends an email with a link by which the user verifies the address. The link expires after 24 hours and works once; earlier links stay valid. An address receives three such emails at once from a system, then one per hour, and a system sends `SYSTEM_EMAILS_PER_DAY` in 24 hours; beyond that the response is 429 with `Retry-After`. Systems take turns, and what a person waits for on a page is sent first. Audit entry: `user.verification_sent`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a temporary password
         * @description Replaces the password of the user by a temporary one, which expires after 72 hours and must be changed at the next sign-in. The response is the only one that contains it. All sessions of the user end, and the user is notified by email. Audit entry: `user.password_reset`. With a service token it is valid in its system only.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["resetUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/send-password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset email
         * @description Sends an email with a link by which the user chooses a password. The link expires after 30 minutes and works once; earlier links stay valid. An address receives three such emails at once from a system, then one per hour, and a system sends `SYSTEM_EMAILS_PER_DAY` in 24 hours; beyond that the response is 429 with `Retry-After`. Systems take turns, and what a person waits for on a page is sent first. Audit entry: `user.password_reset_sent`.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["sendPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/set-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the password
         * @description Replaces the password of the user. All sessions of the user end, and the user is notified by email. With `mustChangePassword` the next sign-in asks for another password. Sends the event `user.updated`. Audit entry: `user.password_set`.
         *
         *     The password that a service token sets is valid in its system only, in place of the user's own, and ends only sessions of that system.
         *
         *     **Authority:** `platform`; `system`.
         */
        post: operations["setUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{userId}/social/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity provider
         * @description Removes the identity of the user at another identity provider. Active sessions continue, and the user is notified by email. The only way to sign in cannot be removed (`only_way_in`). Sends the event `user.updated`. Audit entry: `user.identity_removed`.
         *
         *     With a service token: removes the identity that is valid in its system only, if there is one.
         *
         *     **Authority:** `platform`; `system`.
         */
        delete: operations["unlinkUserIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of all systems
         * @description Returns the webhooks of all systems, newest first, with their state and the numbers of their deliveries in the last 24 hours. A service token receives those of its system.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["listAllWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a sample request
         * @description Returns a request as a webhook would receive it, about an event of this type that did not happen. Nothing is sent or stored, and no webhook is needed. It is signed with a new secret, so that no receiver of a webhook accepts it.
         *
         *     **Authority:** `platform`; `system`.
         */
        get: operations["sampleWebhookRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            /** @description Whether the user of another verified address can accept an emailed invitation. Default: false. */
            acceptOtherAddress: boolean;
            branding: components["schemas"]["AccountBranding"];
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
            externalId?: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["AccountKind"];
            /** @description Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true. */
            membersVisible: boolean;
            /** @description Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it. */
            metadata?: {
                [key: string]: unknown;
            };
            name: string;
            /** @description Whether a sign-in of a member to the account requires a second factor. */
            requireMfa: boolean;
            /** @description The authority that requires the second factor: a lower one cannot undo it. Empty unless it is required. */
            requireMfaBy: ("platform" | "system" | "account")[];
            /** @description Whether the memberships open only to a login by a connection of the organization. Default: false. */
            ssoRequired: boolean;
            ssoRequiredBy: components["schemas"]["SsoRequiredBy"] | null;
            /** @description Whether the admins of the organization set up its single sign-on, where `organizationSso` of the system is `system`. Only the system and the platform change it. Default: false. */
            ssoSelfService: boolean;
            status: components["schemas"]["AccountStatus"];
            /** @description The authority that has suspended the account: a lower one cannot resume it. Empty unless it is suspended. */
            suspendedBy: ("platform" | "system")[];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description What active members see of the organization. A change replaces the whole object. `putAccountLogo` uploads a logo. */
        AccountBranding: {
            /** @description The color of buttons and links, such as `#336699`. */
            color?: string;
            /** @description The address of the uploaded logo. Only the present address is accepted; without it, the upload is removed. */
            logoUrl?: string;
        };
        /**
         * @description Whether the account is the personal one of a user.
         * @enum {string}
         */
        AccountKind: "personal" | "organization";
        AccountList: {
            data: components["schemas"]["ListedAccount"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description The members and service accounts of a suspended account get no access. Only the system and the platform suspend an organization.
         * @enum {string}
         */
        AccountStatus: "active" | "suspended";
        AccountSummary: {
            /** @description Whether the user of another verified address can accept an emailed invitation. Default: false. */
            acceptOtherAddress: boolean;
            /** @description The number of active admins who are not disabled. */
            adminCount: number;
            branding: components["schemas"]["AccountBranding"];
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
            externalId?: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["AccountKind"];
            /** @description The number of memberships of any status. */
            memberCount: number;
            /** @description Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true. */
            membersVisible: boolean;
            /** @description Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it. */
            metadata?: {
                [key: string]: unknown;
            };
            name: string;
            /** @description The number of pending memberships. */
            pendingCount: number;
            /** @description Whether a sign-in of a member to the account requires a second factor. */
            requireMfa: boolean;
            /** @description The authority that requires the second factor: a lower one cannot undo it. Empty unless it is required. */
            requireMfaBy: ("platform" | "system" | "account")[];
            /** @description Whether the memberships open only to a login by a connection of the organization. Default: false. */
            ssoRequired: boolean;
            ssoRequiredBy: components["schemas"]["SsoRequiredBy"] | null;
            /** @description Whether the admins of the organization set up its single sign-on, where `organizationSso` of the system is `system`. Only the system and the platform change it. Default: false. */
            ssoSelfService: boolean;
            status: components["schemas"]["AccountStatus"];
            /** @description The authority that has suspended the account: a lower one cannot resume it. Empty unless it is suspended. */
            suspendedBy: ("platform" | "system")[];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AccountSummaryList: {
            data: components["schemas"]["AccountSummary"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        ActiveUsers: {
            days30: number;
            today: number;
        };
        /**
         * @description Who acted: `service` is a client, `server` the process itself or its operator.
         * @enum {string}
         */
        ActorType: "user" | "service" | "anonymous" | "server";
        /**
         * @description Where the user acted: in the console, or on the pages below `/account`, which include those of an organization; null for a token and in a sign-in.
         * @enum {string}
         */
        ActorVia: "console" | "account_pages";
        AddDomain: {
            /** @description The part of email addresses after the `@`. Stored and returned as A-labels in lower case, without a trailing dot. A name with characters that IDNA maps to others, of one label or with a wildcard is refused. */
            name: string;
            /** @description Whether the addresses of domains below it belong to it as well. Default: false. */
            subdomains?: boolean;
        };
        /** @enum {string} */
        AttemptOutcome: "signed_in" | "tested" | "refused";
        AuditActor: {
            /** @description The id of a user, the clientId of a service. */
            id: string | null;
            ip: string | null;
            type: components["schemas"]["ActorType"];
            userAgent: string | null;
            via: components["schemas"]["ActorVia"] | null;
        };
        AuditCheckpoint: {
            /** @description The three values, signed: a JWS in compact serialization, with the key of `/audit/jwks`. */
            checkpoint: string;
            /** Format: date-time */
            closedAt: string;
            /** @description The SHA-256 hash of the block. */
            hash: string;
            /** @description The number of the newest block. */
            number: number;
        };
        AuditEntry: {
            /** Format: uuid */
            accountId: string | null;
            /** @description What happened, as `noun.verb` in the past: `membership.blocked`. */
            action: string;
            actor: components["schemas"]["AuditActor"];
            /** @description The old and the new value of each field. Of more than 2 kB: `bytes` and `sha256` of the JSON of the value. */
            changes: {
                [key: string]: unknown[];
            };
            /** Format: uuid */
            id: string;
            outcome: components["schemas"]["AuditOutcome"];
            /** @description The same in all entries of one request and in its error response. */
            requestId: string | null;
            /** Format: uuid */
            systemId: string | null;
            target: components["schemas"]["AuditTarget"];
            /** Format: date-time */
            time: string;
        };
        AuditEntryList: {
            data: components["schemas"]["AuditEntry"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description The outcome.
         * @enum {string}
         */
        AuditOutcome: "success" | "failure";
        AuditTarget: {
            id: string | null;
            type: string | null;
        };
        /**
         * @description The authority that blocked the membership. Only this one or a higher one can activate it.
         * @enum {string}
         */
        BlockedBy: "platform" | "system" | "account";
        /** @description What pages and emails show. A change replaces the whole object; the address of an upload keeps it, and without it the upload is removed. `putSystemImage` uploads an image. */
        Branding: {
            /** @description The color of buttons and links, such as `#336699`. */
            color?: string;
            /** @description The address of the uploaded icon of pages in the browser. Only the present address is accepted. */
            faviconUrl?: string;
            /** @description The address of the uploaded logo for dark mode. Only the present address is accepted. */
            logoDarkUrl?: string;
            /** @description An https URL, or the address of the uploaded logo. Another value removes the upload. */
            logoUrl?: string;
        };
        /** @description The public keys of the system, which verify its client assertions and signed requests. Not together with `jwksUri`. */
        ClientKeySet: {
            keys: {
                [key: string]: unknown;
            }[];
        };
        /**
         * @description Whether the client has a secret (RFC 6749 section 2.1). Default `confidential`.
         * @enum {string}
         */
        ClientType: "confidential" | "public";
        Connection: {
            /** Format: uuid */
            accountId: string;
            /** @description Where a SAML provider sends its responses (assertion consumer service). Null of OpenID Connect. */
            acsUrl: string | null;
            /** @description The certificates with which the SAML provider signs. */
            certificates: components["schemas"]["SamlCertificate"][];
            /** @description Whether a field that a test checks has changed since the last one that succeeded. */
            changedSinceTest: boolean;
            clientId: string | null;
            /** @description Whether only people of the organization can sign in at the provider. Then an address of a verified domain counts as verified also if the provider does not state `email_verified`. Default: false. */
            closedIssuer: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description Ids of the roles of members whom the connection adds. No admin role, and none that acts for members. */
            defaultRoles: string[];
            enabled: boolean;
            /** @description How a SAML provider calls this server: the audience of its assertions, and the address of the metadata for it. Null of OpenID Connect. */
            entityId: string | null;
            /** @description The claim, or the exact name of the attribute, with the groups of a person; null: none. */
            groupAttribute: string | null;
            /** @description Whether a client secret is stored. */
            hasSecret: boolean;
            /** Format: uuid */
            id: string;
            /** @description The issuer of the provider, as its metadata states it; of a SAML provider its entityID, which is compared exactly. After the first test that succeeded it does not change. An issuer of OpenID Connect at which people of several organizations sign in is refused; `https://accounts.google.com` is accepted with the required claim `hd`. */
            issuer: string | null;
            /** @description Whether people with an address of a verified domain become members when they sign in for the first time. Default: false. */
            jit: boolean;
            kind: components["schemas"]["ConnectionKind"];
            /** @description Why the last sign-in or test was refused, or what `metadataUrl` serves (`metadata_invalid`, `metadata_unavailable`); null after one that succeeded. */
            lastError: string | null;
            /**
             * Format: date-time
             * @description The last sign-in.
             */
            lastUsedAt: string | null;
            /** @description The address of the metadata of the SAML provider: https. It is read at once when it is set, and daily; what it states replaces `ssoUrl` and `certificates`. Null: it is not read. */
            metadataUrl: string | null;
            mfa: components["schemas"]["ConnectionMfa"] | null;
            /** @description Values of `acr` that are requested, and that say that a second factor was verified. Of SAML: classes of the login (`AuthnContextClassRef`), which are not requested. */
            mfaAcr: string[];
            /** @description What has to be set before a test. */
            missing: components["schemas"]["MissingSetting"][];
            name: string;
            reauthentication: components["schemas"]["Reauthentication"];
            /** @description The redirect URI, which is registered at the provider. The connection has its own. Null of SAML. */
            redirectUri: string | null;
            requiredClaims: components["schemas"]["RequiredClaims"];
            /** @description Whether the connection signs in members who have a role that account admins do not assign. Set by the system and the platform. Default: false. */
            reservedRoles: boolean;
            /** @description The scopes that are requested. Contains `openid`. Default: `openid`, `email`, `profile`. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When the client secret expires at the provider; null: not known.
             */
            secretExpiresAt: string | null;
            /** @description After so many hours a sign-in by the connection ends. Default: 24. */
            sessionHours: number;
            setBy: components["schemas"]["ConnectionSetBy"];
            /** @description Where the SAML provider takes requests (binding HTTP-Redirect): an https address, which may have a query. */
            ssoUrl: string | null;
            /** @description The address to which a tile of the provider leads. */
            startUrl: string;
            /** @description What identifies a person at the provider. OpenID Connect: the claim `sub` or `oid`, which is for Entra ID, whose `sub` differs for each registered application. SAML: the exact name of an attribute; null: the NameID. After the first test that succeeded it does not change. Default: `sub`; null of SAML. */
            subjectAttribute: string | null;
            /** Format: uuid */
            systemId: string;
            /**
             * Format: date-time
             * @description The last test that succeeded; null: none.
             */
            testedAt: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ConnectionAttempt: {
            /** @description Why it was refused. */
            code: string | null;
            /** @description The address that the provider has stated. */
            email: string | null;
            /** Format: uuid */
            id: string;
            outcome: components["schemas"]["AttemptOutcome"];
            /** @description The request, as in the log and the audit log. */
            requestId: string | null;
            /** @description The subject that the provider has stated. */
            subject: string | null;
            /** Format: date-time */
            time: string;
        };
        /**
         * @description The protocol. `oidc`: OpenID Connect. `saml`: SAML 2.0.
         * @enum {string}
         */
        ConnectionKind: "oidc" | "saml";
        ConnectionLink: {
            /** Format: date-time */
            createdAt: string;
            /** @description The address with which the member was linked. */
            email: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description The last sign-in of the member by the connection.
             */
            lastUsedAt: string | null;
            /** Format: uuid */
            membershipId: string;
            /** @description What the provider calls the member. */
            subject: string;
            user: components["schemas"]["LinkedUser"];
            /** Format: uuid */
            userId: string;
        };
        ConnectionLinkList: {
            data: components["schemas"]["ConnectionLink"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description When a sign-in has a second factor. `reported`: if the ID token says so. `trusted`: always. Null: as `connectionMfa` of the system says, and `reported` for a connection that an account admin has set up. Set by the system and the platform.
         * @enum {string}
         */
        ConnectionMfa: "reported" | "trusted";
        /**
         * @description The authority that has created the connection: a lower one does not change or delete it. Only the system and the platform change it, to their own or a lower one.
         * @enum {string}
         */
        ConnectionSetBy: "platform" | "system" | "account";
        ConnectionTest: {
            /** Format: date-time */
            expiresAt: string;
            /** @description For one browser. */
            testUrl: string;
        };
        CreateAccount: {
            /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
            externalId?: string;
            /** @description Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it. */
            metadata?: {
                [key: string]: unknown;
            };
            name: string;
        };
        CreateConnection: {
            /** @description The certificates with which the SAML provider signs, in PEM, with RSA keys of at least 2,048 bits. A list replaces the one before. Their keys are trusted until they are replaced, also after their end. */
            certificates?: string[];
            clientId?: string;
            /** @description Stored encrypted, sent to the provider only, and never returned. */
            clientSecret?: string;
            /** @description Whether only people of the organization can sign in at the provider. Then an address of a verified domain counts as verified also if the provider does not state `email_verified`. Default: false. */
            closedIssuer?: boolean;
            /** @description Ids of the roles of members whom the connection adds. No admin role, and none that acts for members. */
            defaultRoles?: string[];
            /** @description The claim, or the exact name of the attribute, with the groups of a person; null: none. */
            groupAttribute?: string | null;
            /** @description The issuer of the provider, as its metadata states it; of a SAML provider its entityID, which is compared exactly. After the first test that succeeded it does not change. An issuer of OpenID Connect at which people of several organizations sign in is refused; `https://accounts.google.com` is accepted with the required claim `hd`. */
            issuer?: string;
            /** @description Whether people with an address of a verified domain become members when they sign in for the first time. Default: false. */
            jit?: boolean;
            kind: components["schemas"]["ConnectionKind"];
            /** @description The metadata of the SAML provider, as XML. It sets `issuer`, if there is none, `ssoUrl` and `certificates`, and is not stored. */
            metadata?: string;
            /** @description The address of the metadata of the SAML provider: https. It is read at once when it is set, and daily; what it states replaces `ssoUrl` and `certificates`. Null: it is not read. */
            metadataUrl?: string | null;
            mfa?: components["schemas"]["ConnectionMfa"] | null;
            /** @description Values of `acr` that are requested, and that say that a second factor was verified. Of SAML: classes of the login (`AuthnContextClassRef`), which are not requested. */
            mfaAcr?: string[];
            name: string;
            reauthentication?: components["schemas"]["Reauthentication"];
            requiredClaims?: components["schemas"]["RequiredClaims"];
            /** @description Whether the connection signs in members who have a role that account admins do not assign. Set by the system and the platform. Default: false. */
            reservedRoles?: boolean;
            /** @description The scopes that are requested. Contains `openid`. Default: `openid`, `email`, `profile`. */
            scopes?: string[];
            /**
             * Format: date-time
             * @description When the client secret expires at the provider; null: not known.
             */
            secretExpiresAt?: string | null;
            /** @description After so many hours a sign-in by the connection ends. Default: 24. */
            sessionHours?: number;
            /** @description Where the SAML provider takes requests (binding HTTP-Redirect): an https address, which may have a query. */
            ssoUrl?: string;
            /** @description What identifies a person at the provider. OpenID Connect: the claim `sub` or `oid`, which is for Entra ID, whose `sub` differs for each registered application. SAML: the exact name of an attribute; null: the NameID. After the first test that succeeded it does not change. Default: `sub`; null of SAML. */
            subjectAttribute?: string | null;
        };
        CreatedInvitation: {
            /**
             * Format: uuid
             * @description The user; null unless accepted.
             */
            acceptedBy: string | null;
            /** Format: uuid */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The address that is invited. */
            email: string;
            /**
             * Format: date-time
             * @description When a pending invitation expires.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The user; null: a service, or a user with an authority above that of the caller.
             */
            invitedBy: string | null;
            /**
             * Format: date-time
             * @description When the last email was sent.
             */
            lastSentAt: string | null;
            /** @description Shown in the email and on the page of the link. */
            message: string | null;
            /** @description The ids of the profiles that the membership gets. */
            profiles: string[];
            /** @description The ids of the roles that the membership gets. */
            roles: string[];
            /** @description The number of emails that were sent. */
            sends: number;
            status: components["schemas"]["InvitationStatus"];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The link, if `notify` is false. It is returned only once. */
            url?: string;
        };
        CreatedServiceAccountKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it becomes invalid; null: when it is revoked.
             */
            expiresAt: string | null;
            /** @description The last four characters of the secret. */
            hint: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When a token was last issued for it, to the minute.
             */
            lastUsedAt: string | null;
            /** @description Starts with `tk_`. It is returned only once. */
            secret: string;
        };
        CreatedSystem: {
            /**
             * @description The signature algorithm of access tokens and service tokens, also of service accounts. `RS256` is for a gateway or an API that verifies no other. After a change, tokens that were signed with the other algorithm remain valid until they expire. Default `ES256`; `RS256` not with `securityProfile`.
             * @enum {string}
             */
            accessTokenAlg: "ES256" | "RS256";
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi: boolean;
            /** @description Whether the sign-in asks for the email address alone, and then for the password, or leads to the connections of the organizations that have verified its domain. Default false. */
            addressFirst: boolean;
            /** @description Whether users with a role with `canActForMembers` can act for other members: at `/token`, with the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693). Default false; only for a confidential client that is no platform system, without `securityProfile`. */
            allowActingForMembers: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow: boolean;
            /** @description The origins from which pages in browsers can call `/token`, `/me` and the other endpoints for clients (CORS), beside those of `redirectUris`: https, the scheme of an app such as `capacitor://localhost`, or http on a loopback address while `BASE_URL` has one. They are compared character by character. Only for a public client. Default none. */
            allowedOrigins: string[];
            /** @description The scopes that the system can request. */
            allowedScopes: string[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister: boolean;
            /** @description Whether accounts of the system can have service accounts: programs with a key and roles of their own. Default false; not for a platform system, and not with `securityProfile`. */
            allowServiceAccounts: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri: string | null;
            branding: components["schemas"]["Branding"];
            /** @description The client id (RFC 6749 section 2.2). */
            clientId: string;
            /** @description The client secret. Only in this response; not sent for a public client. */
            clientSecret?: string;
            clientType: components["schemas"]["ClientType"];
            /** @description The home page of the application (RFC 7591 section 2): where pages at the end of a flow lead to without `initiateLoginUri`. https, or a loopback address while `BASE_URL` has one. */
            clientUri: string | null;
            connectionMfa: components["schemas"]["SystemConnectionMfa"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: email
             * @description The address that emails of the system are sent from, instead of that of `MAIL_FROM`. The mail server must be allowed to send from it. Only the platform sets it.
             */
            emailFrom: string | null;
            /**
             * Format: email
             * @description The address to which answers to emails of the system go. Only the platform sets it.
             */
            emailReplyTo: string | null;
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. That of access tokens is `accessTokenAlg`.
             * @enum {string}
             */
            idTokenAlg: "RS256" | "ES256";
            /** @description A page of the application that starts its sign-in (OpenID Connect Core section 4): where pages at the end of a flow lead to. It has the origin of one of `redirectUris`, and receives `iss` and, where known, `login_hint`, `account_id` and `connection`. https, or a loopback address while `BASE_URL` has one. */
            initiateLoginUri: string | null;
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy: string[];
            /** @description Where the browser of a user continues who has accepted an invitation: a page of the application that starts its sign-in (OpenID Connect Core section 4). It has the origin of one of `redirectUris`, and receives `iss`, `account_id` and `login_hint`. Without it, `initiateLoginUri`. */
            invitationUri: string | null;
            jwks: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount: boolean;
            name: string;
            organizationSso: components["schemas"]["OrganizationSso"];
            /** @description Whether this is a platform system: its service tokens and admins have platform authority. */
            platform: boolean;
            /** @description The privacy policy (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            policyUri: string | null;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris: string[];
            /**
             * Format: date-time
             * @description Until this time the secret before the last rotation is valid as well; null without one.
             */
            previousSecretUntil: string | null;
            /** @description The callback URLs. They are compared character by character. */
            redirectUris: string[];
            /** @description Whether new memberships are `pending` until they are activated. Default false. */
            requireAdminActivation: boolean;
            /** @description Whether a sign-in requires a code that is sent by email. Default false. */
            requireEmailOtp: boolean;
            /** @description Whether a sign-in requires a second factor. Default false. */
            requireMfa: boolean;
            /** @description Whether authorization requests must use PKCE. False only for a confidential client whose library does not support it, without `securityProfile`. Default true. */
            requirePkce: boolean;
            /** @description Whether authorization requests must be request objects that are signed with a key of the system (RFC 9101). Requires `jwks` or `jwksUri`. Default false. */
            requireSignedRequestObject: boolean;
            securityProfile: components["schemas"]["SecurityProfile"] | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent: boolean;
            /** @description Where users find help, a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            supportUri: string | null;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none";
            /** @description The terms of service (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            tosUri: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        CreatedTestSignIn: {
            /**
             * Format: date-time
             * @description Ten minutes after the creation.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** @description The address that the user opens in a browser. It contains a secret and is returned only here. */
            url: string;
        };
        CreatedWebhook: {
            /** Format: date-time */
            createdAt: string;
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description While it is false, no deliveries are queued. Default true. */
            enabled: boolean;
            /** @description The types of event to send. Empty: all. */
            events: string[];
            /** Format: uuid */
            id: string;
            /** @description The key that signs the requests (Standard Webhooks). Only in this response. */
            secret: string;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The endpoint. */
            url: string;
        };
        CreateInvitation: {
            /**
             * Format: email
             * @description The address to invite.
             */
            email: string;
            /** @description Lifetime in seconds, from one hour to 30 days. Default: `TTL_INVITATION`. */
            expiresIn?: number;
            /** @description Plain text for the email, without links. */
            message?: string;
            /**
             * @description If false, no email is sent and the response has `url`. Not for the admin of an account. Such a link does not verify the address.
             * @default true
             */
            notify?: boolean;
            profiles?: string[];
            roles?: string[];
        };
        CreateInvitations: {
            invitations: components["schemas"]["InvitationOfList"][];
        };
        CreateMembership: {
            /** Format: uuid */
            accountId?: string;
            accountName?: string;
            /**
             * Format: email
             * @description The email address of the user, instead of `userId`.
             */
            email?: string;
            profiles?: string[];
            roles?: string[];
            status?: components["schemas"]["MembershipStatus"];
            /** Format: uuid */
            systemId?: string;
            /** Format: uuid */
            userId?: string;
        };
        CreateOperator: {
            level: components["schemas"]["OperatorLevel"];
            /**
             * Format: uuid
             * @description The system; null: the installation.
             */
            systemId?: string | null;
            /** Format: uuid */
            userId: string;
        };
        CreateProfile: {
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            attributes?: {
                [key: string]: unknown;
            };
            description?: string | null;
            name: string;
        };
        CreateRole: {
            /** @description Whether admins of accounts can assign and remove the role. Default true. If false, the role is reserved: only the system and the platform assign and remove it, and account admins cannot change a membership that has it. */
            assignableByAccountAdmins?: boolean;
            /** @description Whether a member with this role can act for other members of the system, if it has `allowActingForMembers`. Default false; requires `assignableByAccountAdmins` false. */
            canActForMembers?: boolean;
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
        CreateServiceAccount: {
            name: string;
            roles?: string[];
        };
        CreateServiceAccountKey: {
            /** @description Lifetime in seconds, from one hour to two years. Default: null, until it is revoked. */
            expiresIn?: number | null;
        };
        CreateSystem: {
            /**
             * @description The signature algorithm of access tokens and service tokens, also of service accounts. `RS256` is for a gateway or an API that verifies no other. After a change, tokens that were signed with the other algorithm remain valid until they expire. Default `ES256`; `RS256` not with `securityProfile`.
             * @enum {string}
             */
            accessTokenAlg?: "ES256" | "RS256";
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType?: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi?: boolean;
            /** @description Whether the sign-in asks for the email address alone, and then for the password, or leads to the connections of the organizations that have verified its domain. Default false. */
            addressFirst?: boolean;
            /** @description Whether users with a role with `canActForMembers` can act for other members: at `/token`, with the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693). Default false; only for a confidential client that is no platform system, without `securityProfile`. */
            allowActingForMembers?: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials?: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow?: boolean;
            /** @description The origins from which pages in browsers can call `/token`, `/me` and the other endpoints for clients (CORS), beside those of `redirectUris`: https, the scheme of an app such as `capacitor://localhost`, or http on a loopback address while `BASE_URL` has one. They are compared character by character. Only for a public client. Default none. */
            allowedOrigins?: string[];
            /** @description The scopes that the system can request. Must contain `openid`. */
            allowedScopes?: ("openid" | "email" | "profile" | "phone" | "address" | "offline_access")[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister?: boolean;
            /** @description Whether accounts of the system can have service accounts: programs with a key and roles of their own. Default false; not for a platform system, and not with `securityProfile`. */
            allowServiceAccounts?: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri?: string | null;
            branding?: components["schemas"]["Branding"];
            clientType?: components["schemas"]["ClientType"];
            /** @description The home page of the application (RFC 7591 section 2): where pages at the end of a flow lead to without `initiateLoginUri`. https, or a loopback address while `BASE_URL` has one. */
            clientUri?: string | null;
            connectionMfa?: components["schemas"]["SystemConnectionMfa"];
            /**
             * Format: email
             * @description The address that emails of the system are sent from, instead of that of `MAIL_FROM`. The mail server must be allowed to send from it. Only the platform sets it.
             */
            emailFrom?: string | null;
            /**
             * Format: email
             * @description The address to which answers to emails of the system go. Only the platform sets it.
             */
            emailReplyTo?: string | null;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. That of access tokens is `accessTokenAlg`.
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /** @description A page of the application that starts its sign-in (OpenID Connect Core section 4): where pages at the end of a flow lead to. It has the origin of one of `redirectUris`, and receives `iss` and, where known, `login_hint`, `account_id` and `connection`. https, or a loopback address while `BASE_URL` has one. */
            initiateLoginUri?: string | null;
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy?: string[];
            /** @description Where the browser of a user continues who has accepted an invitation: a page of the application that starts its sign-in (OpenID Connect Core section 4). It has the origin of one of `redirectUris`, and receives `iss`, `account_id` and `login_hint`. Without it, `initiateLoginUri`. */
            invitationUri?: string | null;
            jwks?: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri?: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount?: boolean;
            name: string;
            organizationSso?: components["schemas"]["OrganizationSso"];
            /** @description The privacy policy (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            policyUri?: string | null;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris?: string[];
            /** @description The callback URLs. They are compared character by character. */
            redirectUris?: string[];
            /** @description Whether new memberships are `pending` until they are activated. Default false. */
            requireAdminActivation?: boolean;
            /** @description Whether a sign-in requires a code that is sent by email. Default false. */
            requireEmailOtp?: boolean;
            /** @description Whether a sign-in requires a second factor. Default false. */
            requireMfa?: boolean;
            /** @description Whether authorization requests must use PKCE. False only for a confidential client whose library does not support it, without `securityProfile`. Default true. */
            requirePkce?: boolean;
            /** @description Whether authorization requests must be request objects that are signed with a key of the system (RFC 9101). Requires `jwks` or `jwksUri`. Default false. */
            requireSignedRequestObject?: boolean;
            securityProfile?: components["schemas"]["SecurityProfile"] | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent?: boolean;
            /** @description Where users find help, a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            supportUri?: string | null;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt" | "none";
            /** @description The terms of service (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            tosUri?: string | null;
        };
        CreateTestSignIn: {
            /**
             * Format: uuid
             * @description The account that is requested (`account_id`).
             */
            accountId?: string;
            acr?: components["schemas"]["TestSignInAcr"];
            /**
             * Format: uuid
             * @description A user of the system. The login form shows the address, and another user sees no result. Default: anyone.
             */
            forUserId?: string;
            prompt?: components["schemas"]["TestSignInPrompt"];
            /** @description Scopes of the system, separated by spaces. Default: all that the system allows. */
            scope?: string;
        };
        CreateUser: {
            address?: components["schemas"]["PostalAddress"] | null;
            /** @description `YYYY-MM-DD`, `YYYY`, or `0000-MM-DD` without the year. */
            birthdate?: string | null;
            /** @description Whether the user cannot sign in. */
            disabled?: boolean;
            /**
             * Format: email
             * @description Stored and returned in NFC, with ASCII letters in lower case and the domain as A-labels without a trailing dot. A domain with characters that IDNA maps to others is refused.
             */
            email: string;
            emailVerified?: boolean;
            familyName?: string | null;
            gender?: string | null;
            givenName?: string | null;
            locale?: string | null;
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            metadata?: {
                [key: string]: unknown;
            };
            middleName?: string | null;
            /** @description Whether the next sign-in asks for a new password. True only for a user with a password. */
            mustChangePassword?: boolean;
            name?: string | null;
            nickname?: string | null;
            /** @description PASSWORD_MIN_LENGTH to 128 characters after normalization to NFC. */
            password?: string;
            /** @description A hash of argon2, bcrypt, scrypt or PBKDF2 from another system, in a format of docs/moving-in.md, which has the highest cost for the platform and for a system. Replaced by a hash of this server at the first sign-in. Without `emailVerified` true, a hash that the platform sends is valid only together with an emailed code at the first sign-in. */
            passwordHash?: string;
            /** @description In the format E.164, such as `+351210000000`. */
            phoneNumber?: string | null;
            /** @description Whether the caller has verified `phoneNumber`. Another number is not verified. A service token states it for its own system only, together with the number. */
            phoneNumberVerified?: boolean;
            /** @description The URL of a picture of the user. */
            picture?: string | null;
            preferredUsername?: string | null;
            /** @description The URL of a page about the user. */
            profile?: string | null;
            website?: string | null;
            /** @description A name of the IANA time zone database, such as `Europe/Lisbon`. */
            zoneinfo?: string | null;
        };
        CreateWebhook: {
            /** @description While it is false, no deliveries are queued. Default true. */
            enabled?: boolean;
            /** @description The types of event to send. An empty list means all, including types of later versions. Default empty. */
            events?: components["schemas"]["EventType"][];
            /** @description A public https URL. While `BASE_URL` is a loopback address, also a URL of this machine, with http or https. */
            url: string;
        };
        DatabaseState: {
            /** @description Of all tables with their indexes. */
            bytes: number;
            /** @enum {string} */
            kind: "pglite" | "postgresql";
            tables: components["schemas"]["TableSize"][];
        };
        Delivery: {
            /** @description The latest 20 attempts, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: uuid */
            eventId: string;
            /**
             * Format: date-time
             * @description When the delivery succeeded, failed for good or was superseded; null while it is pending.
             */
            finishedAt: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description The earliest time of the next attempt; null if there is none.
             */
            nextAttemptAt: string | null;
            payload: components["schemas"]["DeliveryPayload"];
            status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: date-time
             * @description The time of the event.
             */
            timestamp: string;
            /** @description The type of the event. */
            type: string;
        };
        DeliveryAttempt: {
            /** @description The first 1,024 bytes of the response. Only with platform authority. */
            answer?: string | null;
            /** @description The duration of the request in milliseconds. */
            durationMs: number;
            /** @description Why the request failed; null if there was a response. */
            error: string | null;
            /** @description The HTTP status code; null if there was no response. */
            status: number | null;
            /** Format: date-time */
            time: string;
        };
        DeliveryList: {
            data: components["schemas"]["Delivery"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /** @description Counted up to 10000. */
        DeliveryNumbers: {
            /** @description Each number is at most this one, which stands for more. */
            countedMax: number;
            /** @description Delivered in the last 24 hours. */
            delivered: number;
            /** @description Failed for good in the last 24 hours. */
            failed: number;
            /**
             * Format: date-time
             * @description When the oldest pending delivery was queued.
             */
            oldestPendingAt: string | null;
            /** @description Not delivered yet. */
            pending: number;
        };
        /** @description The body of the request. */
        DeliveryPayload: {
            /** @description The fields of the type; docs/events.md lists them. */
            data: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            timestamp: string;
            type: string;
        };
        /**
         * @description The status of a delivery. `superseded`: it is not sent, because a later event has ended the access.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "failed" | "superseded";
        Domain: {
            /** Format: uuid */
            accountId: string;
            /**
             * Format: date-time
             * @description When it was checked last; null before the first check.
             */
            checkedAt: string | null;
            /** @description Whether a check is due or in progress. */
            checking: boolean;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Since when no name server of a verified domain has answered.
             */
            failingSince: string | null;
            found: components["schemas"]["FoundRecords"] | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When a verified domain lapses, unless a check finds the record until then.
             */
            lapsesAt: string | null;
            /**
             * Format: date-time
             * @description Since when the record of a verified domain is missing.
             */
            missingSince: string | null;
            name: string;
            outcome: components["schemas"]["DomainOutcome"] | null;
            record: components["schemas"]["DomainRecord"];
            setBy: components["schemas"]["DomainSetBy"];
            status: components["schemas"]["DomainStatus"];
            /** @description Whether the addresses of domains below it belong to it as well. Default: false. */
            subdomains: boolean;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it was verified; null before.
             */
            verifiedAt: string | null;
        };
        /**
         * @description What the last check has found. `missing`: an answer without the record. `failing`: no answer of the name servers.
         * @enum {string}
         */
        DomainOutcome: "verified" | "missing" | "failing";
        /** @description The TXT record that verifies the domain. */
        DomainRecord: {
            name: string;
            type: string;
            value: string;
        };
        /**
         * @description The authority that has added the domain: a lower one does not change or delete it. Only the system and the platform change it, to their own or a lower one.
         * @enum {string}
         */
        DomainSetBy: "platform" | "system" | "account";
        /**
         * @description `pending`: no check has found the record yet. `verified`: one has. `lapsed`: it was verified, and the record was missing for 7 days, or no name server answered for 30 days.
         * @enum {string}
         */
        DomainStatus: "pending" | "verified" | "lapsed";
        EffectiveSetting: {
            isDefault: boolean;
            name: string;
            secret: boolean;
            value: string | null;
        };
        /** @description A part of an email: one of these. */
        EmailBlock: {
            button?: string;
            code?: string;
            details?: components["schemas"]["EmailDetail"][];
            link?: string;
            text?: string;
        };
        EmailDetail: {
            label: string;
            value: string;
        };
        /**
         * @description A kind of emails.
         * @enum {string}
         */
        EmailKind: "password_reset" | "email_verification" | "registration" | "user_exists" | "invitation" | "mailed_code" | "access_approved" | "access_requested" | "password_changed" | "password_reset_by_admin" | "email_changed" | "new_device" | "factor_added" | "factor_removed" | "mfa_removed" | "recovery_code_used" | "identity_added" | "identity_removed";
        /**
         * @description A language of emails.
         * @enum {string}
         */
        EmailLanguage: "en" | "de" | "es" | "fr" | "ja" | "pt";
        /** @description The email with values of a sample; `standard` has the texts of the server. */
        EmailPreview: {
            blocks: components["schemas"]["EmailBlock"][];
            heading: string;
            subject: string;
            text: string;
        };
        /**
         * @description The kind of `lastError`.
         * @enum {string}
         */
        EmailProblem: "host_unknown" | "unreachable" | "timeout" | "encryption" | "authentication" | "sender" | "recipient" | "rejected" | "expired" | "other";
        EmailText: {
            /** @description The text of the button. Null for a kind without one. At most 150 characters; null: that of the server. */
            button: string | null;
            /** @description What is below them; null: that of the server. Plain text, on one line. */
            footer: string | null;
            /** @description The heading. At most 150 characters; null: that of the server. */
            heading: string | null;
            kind: components["schemas"]["EmailKind"];
            locale: components["schemas"]["EmailLanguage"];
            /** @description What is above the code, the button or the details; null: that of the server. Plain text, each on one line. */
            paragraphs: string[] | null;
            preview: components["schemas"]["EmailPreview"];
            /** @description The authority that has written the texts: a lower one cannot change them. Null: ours. */
            setBy: components["schemas"]["EmailTextAuthority"] | null;
            standard: components["schemas"]["EmailPreview"];
            /** @description The subject. At most 150 characters; null: that of the server. */
            subject: string | null;
        };
        /** @enum {string} */
        EmailTextAuthority: "platform" | "system";
        EmailTextKind: {
            /**
             * @description The lowest authority that writes the texts.
             * @enum {string}
             */
            authority: "platform" | "system";
            /** @description Whether the email has a button. */
            button: boolean;
            kind: components["schemas"]["EmailKind"];
            /** @description The languages in which the system has texts of its own. */
            locales: components["schemas"]["EmailLanguage"][];
            /** @description The values that a text can have: `{{email}}`. */
            names: string[];
        };
        EmailTexts: {
            /** @description The text of the button. Null for a kind without one. At most 150 characters; null: that of the server. */
            button?: string | null;
            /** @description What is below them; null: that of the server. Plain text, on one line. */
            footer?: string | null;
            /** @description The heading. At most 150 characters; null: that of the server. */
            heading?: string | null;
            /** @description What is above the code, the button or the details; null: that of the server. Plain text, each on one line. */
            paragraphs?: string[] | null;
            /** @description The subject. At most 150 characters; null: that of the server. */
            subject?: string | null;
        };
        EndedSessions: {
            /** @description The number of sessions that have ended. */
            ended: number;
        };
        Event: {
            /** @description The fields of the type; docs/events.md lists them. */
            data: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            timestamp: string;
            type: components["schemas"]["EventType"];
        };
        EventPage: {
            data: components["schemas"]["Event"][];
            /** @description Whether to continue at once. A page can be empty although more events follow. */
            more: boolean;
            /** @description The cursor from which to continue, also if there are no events. */
            next: string;
        };
        /**
         * @description The type of an event.
         * @enum {string}
         */
        EventType: "user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "user.merged" | "account.created" | "account.updated" | "account.deleted" | "account.suspended" | "account.resumed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "invitation.expired" | "service_account.created" | "service_account.updated" | "service_account.enabled" | "service_account.disabled" | "service_account.deleted" | "service_account.key_created" | "service_account.key_revoked" | "service_account.token_revoked" | "connection.enabled" | "connection.disabled" | "domain.verified" | "domain.lapsed" | "domain.removed" | "session.acting_started" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse";
        ExplainedRequest: {
            action: string;
            reason: string | null;
            /** Format: date-time */
            time: string;
        };
        ExplainedStep: {
            /** @description The setting or state that requires it. */
            because?: string;
            /** @description The reason of the verdict; null for `unreached`. */
            code: string | null;
            facts?: {
                [key: string]: unknown;
            };
            fix?: components["schemas"]["Fix"];
            step: components["schemas"]["ExplainedStepName"];
            verdict: components["schemas"]["Verdict"];
        };
        /** @enum {string} */
        ExplainedStepName: "client" | "user" | "credential" | "throttle" | "address" | "password" | "code" | "factor" | "membership" | "account" | "consent" | "session" | "token";
        Explanation: {
            /** Format: date-time */
            at: string;
            /** @description The last attempts of the user in this system, newest first. */
            attempts: components["schemas"]["SignInAttempt"][];
            /** @description Step and code of the decisive step: `membership_pending`. Null if granted. */
            code: string | null;
            /** @description False if steps are not shown, because their facts are outside of the caller’s authority. */
            complete: boolean;
            outcome: components["schemas"]["SignInOutcome"];
            request: components["schemas"]["ExplainedRequest"] | null;
            steps: components["schemas"]["ExplainedStep"][];
            /** @description The claims of an access token that the user would get now; null if that is not known. */
            token: components["schemas"]["TokenClaims"] | null;
        };
        ExportedAccount: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            systemId: string;
        };
        ExportedActivity: {
            days: string[];
            /** Format: uuid */
            systemId: string;
        };
        ExportedAuditEntry: {
            /** Format: uuid */
            accountId: string | null;
            action: string;
            actorId: string | null;
            actorType: string;
            changes: {
                [key: string]: unknown;
            };
            ip: string | null;
            outcome: string;
            /** Format: uuid */
            systemId: string | null;
            targetId: string | null;
            targetType: string | null;
            /** Format: date-time */
            time: string;
            userAgent: string | null;
        };
        ExportedAuthenticator: {
            /** Format: date-time */
            confirmedAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        ExportedBlock: {
            /** Format: uuid */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            setBy: string;
            /** Format: uuid */
            systemId: string;
        };
        ExportedConnectionLink: {
            /** Format: uuid */
            accountId: string;
            connection: components["schemas"]["ExportedLinkConnection"];
            /** Format: date-time */
            createdAt: string;
            email: string;
            groups: string[];
            /** Format: date-time */
            lastUsedAt: string | null;
            subject: string;
            /** Format: uuid */
            systemId: string;
        };
        ExportedConsent: {
            /** Format: uuid */
            accountId: string;
            claims: string[];
            /** Format: date-time */
            grantedAt: string;
            scopes: string[];
            /** Format: uuid */
            systemId: string;
        };
        ExportedEmail: {
            /** Format: date-time */
            createdAt: string;
            kind: string;
            recipient: string;
            /** Format: date-time */
            sentAt: string | null;
            status: string;
        };
        ExportedFactors: {
            authenticators: components["schemas"]["ExportedAuthenticator"][];
            passkeys: components["schemas"]["ExportedPasskey"][];
            recoveryCodes: components["schemas"]["ExportedRecoveryCodes"];
        };
        ExportedIdentity: {
            /** Format: date-time */
            createdAt: string;
            email: string | null;
            /** Format: date-time */
            lastLoginAt: string | null;
            provider: string;
            subject: string;
        };
        ExportedLink: {
            /** Format: date-time */
            consumedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            email: string;
            /** Format: date-time */
            expiresAt: string;
            purpose: string;
        };
        ExportedLinkConnection: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        ExportedMembership: {
            account: components["schemas"]["ExportedMembershipAccount"];
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            profiles: string[];
            roles: string[];
            stated: {
                [key: string]: unknown;
            };
            statedEmail: string | null;
            status: string;
            system: components["schemas"]["ExportedMembershipSystem"];
            /** Format: date-time */
            updatedAt: string;
        };
        ExportedMembershipAccount: {
            /** Format: uuid */
            id: string;
            kind: string;
            name: string;
        };
        ExportedMembershipSystem: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        ExportedOperator: {
            /** Format: date-time */
            createdAt: string;
            level: string;
            /** Format: uuid */
            systemId: string | null;
        };
        ExportedPasskey: {
            backedUp: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
            name: string;
            transports: string[];
        };
        ExportedRecoveryCodes: {
            left: number;
            used: number;
        };
        ExportedSession: {
            /** Format: uuid */
            accountId: string;
            amr: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
            endReason: string | null;
            /** Format: date-time */
            expiresAt: string;
            ip: string | null;
            /** Format: date-time */
            lastSeenAt: string;
            sid: string;
            /** Format: uuid */
            systemId: string;
            userAgent: string | null;
        };
        ExportedStatedAddress: {
            email: string;
            systemId: string;
        };
        Fix: {
            body?: {
                [key: string]: unknown;
            };
            /** @description Method and path of an operation that the caller may use. */
            operation: string;
        };
        /** @description The TXT records of a check that was `missing`. */
        FoundRecords: {
            /** @description The number of the other TXT records. */
            others: number;
            /** @description At most 5 values that look like that of the record, of 200 characters each. */
            values: string[];
        };
        FoundResource: {
            /** @description The email address of a user or a member, the client id of a system, the external id of an account, the account of a membership without a name. */
            detail: string | null;
            /** @description The path of an operation that returns the resource. */
            href: string;
            id: string;
            name: string;
            /** Format: uuid */
            systemId: string | null;
            type: components["schemas"]["FoundType"];
        };
        /**
         * @description The type of the resource.
         * @enum {string}
         */
        FoundType: "user" | "system" | "account" | "role" | "profile" | "membership" | "webhook" | "session" | "request";
        Identity: {
            email: string | null;
            provider: string;
            subject: string;
        };
        ImportLinks: {
            links: components["schemas"]["WantedLink"][];
        };
        Installation: {
            baseUrl: string;
            database: components["schemas"]["DatabaseState"];
            health: components["schemas"]["InstallationHealth"];
            identityProviders: string[];
            mail: components["schemas"]["MailState"];
            migrations: components["schemas"]["MissingMigration"][];
            processes: components["schemas"]["ServerProcess"][];
            settings: components["schemas"]["EffectiveSetting"][];
            /**
             * Format: date-time
             * @description When the process started.
             */
            startedAt: string;
            version: string;
        };
        InstallationHealth: {
            /** @enum {string} */
            database: "ok" | "read_only" | "unavailable";
        };
        Invitation: {
            /**
             * Format: uuid
             * @description The user; null unless accepted.
             */
            acceptedBy: string | null;
            /** Format: uuid */
            accountId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The address that is invited. */
            email: string;
            /**
             * Format: date-time
             * @description When a pending invitation expires.
             */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The user; null: a service, or a user with an authority above that of the caller.
             */
            invitedBy: string | null;
            /**
             * Format: date-time
             * @description When the last email was sent.
             */
            lastSentAt: string | null;
            /** @description Shown in the email and on the page of the link. */
            message: string | null;
            /** @description The ids of the profiles that the membership gets. */
            profiles: string[];
            /** @description The ids of the roles that the membership gets. */
            roles: string[];
            /** @description The number of emails that were sent. */
            sends: number;
            status: components["schemas"]["InvitationStatus"];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        InvitationList: {
            data: components["schemas"]["Invitation"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        InvitationOfList: {
            /** @description The address to invite. */
            email: string;
            /** @description Lifetime in seconds, from one hour to 30 days. Default: `TTL_INVITATION`. */
            expiresIn?: number;
            /** @description Plain text for the email, without links. */
            message?: string;
            /**
             * @description If false, no email is sent and the response has `url`. Not for the admin of an account. Such a link does not verify the address.
             * @default true
             */
            notify?: boolean;
            profiles?: string[];
            roles?: string[];
        };
        InvitationResult: {
            /** @description The error code, if it was not invited. */
            code?: string;
            detail?: string;
            email: string;
            invitation?: components["schemas"]["CreatedInvitation"];
            /** @description The status code of `createInvitation` for this address. */
            status: number;
        };
        InvitationResults: {
            /** @description One for each address, in the order of the request. */
            results: components["schemas"]["InvitationResult"][];
        };
        /**
         * @description The status of an invitation.
         * @enum {string}
         */
        InvitationStatus: "pending" | "accepted" | "declined" | "revoked" | "expired";
        Job: {
            /** Format: date-time */
            createdAt: string;
            /** @description The number of rows that are done. */
            done: number;
            /** @description Why the last batch failed, which is repeated; null if it succeeded. `unavailable` for callers other than the platform. */
            error: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["JobKind"];
            /** Format: date-time */
            startedAt: string | null;
            status: components["schemas"]["JobStatus"];
            /**
             * Format: uuid
             * @description The system that sees the job; null: the platform only.
             */
            systemId: string | null;
            target: components["schemas"]["JobTarget"];
            /** @description The number of rows, as far as it is known. */
            total: number;
        };
        /**
         * @description What the job does.
         * @enum {string}
         */
        JobKind: "end_sessions" | "delete_system";
        JobList: {
            data: components["schemas"]["Job"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description `queued`: no batch has begun.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "finished";
        /** @description What the change was about. */
        JobTarget: {
            id: string;
            /** @description As in the audit log. */
            type: string;
        };
        /** @description The member as the system reads them. */
        LinkedUser: {
            email: string;
            /** Format: uuid */
            id: string;
            name: string | null;
        };
        /** @enum {string} */
        LinkRefusal: "membership_not_found" | "address_foreign" | "link_taken" | "link_exists";
        LinkResult: {
            /** @description Null: the member is linked to the subject. `membership_not_found`: the user is no member of the account. `address_foreign`: the address is not in a verified domain of the account. `link_taken`: the subject is linked to another member. `link_exists`: the member is linked to another subject. */
            code: components["schemas"]["LinkRefusal"] | null;
            subject: string;
            userId: string;
        };
        LinkResults: {
            /** @description One for each link of the request, in its order. */
            results: components["schemas"]["LinkResult"][];
        };
        ListedAccount: {
            /** @description Whether the user of another verified address can accept an emailed invitation. Default: false. */
            acceptOtherAddress: boolean;
            branding: components["schemas"]["AccountBranding"];
            /** Format: date-time */
            createdAt: string;
            /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
            externalId?: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["AccountKind"];
            /** @description The number of memberships of any status. */
            memberCount: number;
            /** @description Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true. */
            membersVisible: boolean;
            /** @description Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it. */
            metadata?: {
                [key: string]: unknown;
            };
            name: string;
            /** @description Whether a sign-in of a member to the account requires a second factor. */
            requireMfa: boolean;
            /** @description The authority that requires the second factor: a lower one cannot undo it. Empty unless it is required. */
            requireMfaBy: ("platform" | "system" | "account")[];
            /** @description Whether the memberships open only to a login by a connection of the organization. Default: false. */
            ssoRequired: boolean;
            ssoRequiredBy: components["schemas"]["SsoRequiredBy"] | null;
            /** @description Whether the admins of the organization set up its single sign-on, where `organizationSso` of the system is `system`. Only the system and the platform change it. Default: false. */
            ssoSelfService: boolean;
            status: components["schemas"]["AccountStatus"];
            /** @description The authority that has suspended the account: a lower one cannot resume it. Empty unless it is suspended. */
            suspendedBy: ("platform" | "system")[];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        MailState: {
            /** @description Those of the last seven days that could not be sent. */
            failed: number;
            host: string | null;
            /** Format: date-time */
            oldestPendingAt: string | null;
            pending: number;
            /**
             * @description `outbox`: emails are written to files.
             * @enum {string}
             */
            transport: "smtp" | "outbox";
        };
        /**
         * @description The status of an email. `failed`: it was refused, or has expired.
         * @enum {string}
         */
        MailStatus: "pending" | "sent" | "failed";
        Membership: {
            account: components["schemas"]["MembershipAccount"];
            /** Format: uuid */
            accountId: string;
            blockedBy: components["schemas"]["BlockedBy"] | null;
            /** @description A connection has created the membership for a user who existed before. Credentials of the user open it only after a sign-in by the connection, or a code sent to the address of the user. */
            confirmEntry: boolean;
            connection: components["schemas"]["MembershipConnection"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            /** @description The ids of the profiles. */
            profiles: string[];
            /** @description The ids of the roles. */
            roles: string[];
            /** @description Where the organization requires single sign-on, credentials of the user with a second factor open the membership too. */
            ssoExempt: boolean;
            ssoExemptBy: components["schemas"]["SsoExemptBy"] | null;
            status: components["schemas"]["MembershipStatus"];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            user: components["schemas"]["MembershipUser"];
            /** Format: uuid */
            userId: string;
        };
        MembershipAccount: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description The connection of the organization by which the member signs in; of several the one that was used last. Null: the member is linked to none. */
        MembershipConnection: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        MembershipList: {
            data: components["schemas"]["Membership"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description The status of a membership.
         * @enum {string}
         */
        MembershipStatus: "pending" | "active" | "blocked";
        MembershipUser: {
            email: string;
            /** Format: uuid */
            id: string;
            /** @description The name as the system reads it: what it states, or the own name of a user who has entered it. */
            name: string | null;
        };
        /**
         * @description What is counted.
         * @enum {string}
         */
        Metric: "sign_ins" | "failures" | "tokens" | "deliveries" | "emails" | "active_users";
        /** @description A migration of this version that was not applied. */
        MissingMigration: {
            effect: string;
            /** @enum {string} */
            kind: "init" | "expand" | "fill" | "contract";
            name: string;
            /**
             * @description `start`: before this version serves. `background`: while it serves. `finish`: by `tenantry migrate --finish`, or before the next release.
             * @enum {string}
             */
            when: "start" | "background" | "finish";
        };
        /** @enum {string} */
        MissingSetting: "issuer" | "clientId" | "clientSecret" | "ssoUrl" | "certificates";
        /**
         * @description The type of the resource.
         * @enum {string}
         */
        NamedType: "user" | "system" | "account" | "role" | "profile" | "membership" | "webhook" | "service_account" | "connection" | "domain" | "invitation" | "session";
        NumberOfReason: {
            count: number;
            key: string;
        };
        NumbersOfDay: {
            day: number;
            weekBefore: number;
        };
        Operator: {
            /** Format: date-time */
            createdAt: string;
            email: string;
            /** Format: uuid */
            id: string;
            level: components["schemas"]["OperatorLevel"];
            name: string | null;
            /**
             * Format: uuid
             * @description The system; null: the installation.
             */
            systemId: string | null;
            systemName: string | null;
            /** Format: uuid */
            userId: string;
        };
        /**
         * @description `viewer`: the operator changes nothing.
         * @enum {string}
         */
        OperatorLevel: "admin" | "viewer";
        OperatorList: {
            data: components["schemas"]["Operator"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description Who sets up single sign-on of the organizations, which is their domains and connections. `off`: no authority. `system`: the system and the platform, and the admins of organizations with `ssoSelfService`. `account`: the admins of all organizations as well. Default `system`. Not for platform systems, and only with `multiAccount`.
         * @enum {string}
         */
        OrganizationSso: "off" | "system" | "account";
        /** @description An update replaces the whole address. */
        PostalAddress: {
            country?: string;
            formatted?: string;
            locality?: string;
            postalCode?: string;
            region?: string;
            streetAddress?: string;
        };
        Profile: {
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            attributes: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            description: string | null;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ProfileList: {
            data: components["schemas"]["Profile"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        QueuedDeliveries: {
            /** @description The `after` of the next request if there may be more events; null if not. */
            next: string | null;
            /** @description The number of deliveries that are queued again. */
            queued: number;
        };
        QueuedDelivery: {
            /** @description The number of deliveries that are queued again. */
            queued: number;
        };
        QueuedEmail: {
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            kind: string;
            lastError: string | null;
            /**
             * Format: date-time
             * @description Of a pending email.
             */
            nextAttemptAt: string | null;
            problem: components["schemas"]["EmailProblem"] | null;
            /** @description Masked. */
            recipient: string;
            /** Format: date-time */
            sentAt: string | null;
            status: components["schemas"]["MailStatus"];
            /** Format: uuid */
            userId: string | null;
        };
        QueuedEmailList: {
            data: components["schemas"]["QueuedEmail"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description How a sign-in is known to be recent. `stated`: by `auth_time` in the ID token. `unconfirmed`: the time of the response counts, although the provider may have asked for nothing. Default: `stated`.
         * @enum {string}
         */
        Reauthentication: "stated" | "unconfirmed";
        /** @description Claims of the ID token, each of which has to be equal to one of a list of texts. At most 10. An update replaces all. */
        RequiredClaims: {
            [key: string]: string[];
        };
        ResendEvents: {
            /** @description A cursor of the event log or the id of an event: the events after it. Or a date and time: the events from then on. */
            after: string;
        };
        ResourceName: {
            detail: string | null;
            name: string;
            type: components["schemas"]["NamedType"];
        };
        ResourceNames: {
            [key: string]: components["schemas"]["ResourceName"];
        };
        Role: {
            /** @description Whether admins of accounts can assign and remove the role. Default true. If false, the role is reserved: only the system and the platform assign and remove it, and account admins cannot change a membership that has it. */
            assignableByAccountAdmins: boolean;
            /** @description Whether a member with this role can act for other members of the system, if it has `allowActingForMembers`. Default false; requires `assignableByAccountAdmins` false. */
            canActForMembers: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin: boolean;
            name: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes: string[];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        RotatedKeys: {
            kids: string[];
        };
        RotatedSystemSecret: {
            clientId: string;
            /** @description The new client secret. */
            clientSecret: string;
        };
        RotatedWebhookSecret: {
            /** Format: uuid */
            id: string;
            /** @description The key that signs the requests (Standard Webhooks). Only in this response. */
            secret: string;
        };
        RotateSystemSecret: {
            /** @description The number of seconds for which the old secret, and service tokens issued for it, remain valid. Default 0. */
            graceSeconds?: number;
        };
        RotateWebhookSecret: {
            /** @description The number of seconds for which the old secret signs as well. Default 0. */
            graceSeconds?: number;
        };
        SamlCertificate: {
            /** Format: date-time */
            notAfter: string;
            /** Format: date-time */
            notBefore: string;
            pem: string;
        };
        SampleWebhookRequest: {
            /** @description The body, byte by byte: the signature covers it. */
            body: string;
            /** @description The headers of the POST request. */
            headers: {
                [key: string]: string;
            };
            /** @description The key of the signature. No webhook has it. */
            secret: string;
        };
        SearchResult: {
            data: components["schemas"]["FoundResource"][];
        };
        SecondFactor: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "totp" | "passkey";
            /**
             * Format: date-time
             * @description Of the last successful use.
             */
            lastUsedAt: string | null;
            /** @description Of a passkey. */
            name: string | null;
            /**
             * Format: uuid
             * @description The system in which it is valid; null: everywhere.
             */
            systemId: string | null;
        };
        SecondFactors: {
            data: components["schemas"]["SecondFactor"][];
        };
        /**
         * @description `fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` and `accessTokenAlg` must be `ES256`. Default null.
         * @enum {string}
         */
        SecurityProfile: "fapi2";
        SendTestEmail: {
            /**
             * Format: email
             * @description Stored and returned in NFC, with ASCII letters in lower case and the domain as A-labels without a trailing dot. A domain with characters that IDNA maps to others is refused.
             */
            email?: string;
        };
        SentLink: {
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expiresAt: string;
        };
        Series: {
            metric: components["schemas"]["Metric"];
            series: components["schemas"]["SeriesValues"][];
            step: components["schemas"]["SeriesStep"];
            times: number[];
            /**
             * Format: date-time
             * @description The end of the last bucket.
             */
            until: string;
        };
        /**
         * @description The length of a bucket.
         * @enum {string}
         */
        SeriesStep: "hour" | "day";
        SeriesValues: {
            key: string;
            values: number[];
        };
        /** @description A process that uses the database. */
        ServerProcess: {
            /**
             * Format: date-time
             * @description A process states every ten seconds that it runs.
             */
            seenAt: string;
            /** Format: date-time */
            startedAt: string;
            version: string;
        };
        ServiceAccount: {
            /** Format: uuid */
            accountId: string;
            /** @description The `client_id` at `/token`, and the `sub` of the tokens. */
            clientId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Whether it gets no tokens. Default: false. */
            disabled: boolean;
            /** Format: uuid */
            id: string;
            /** @description The keys that have not been revoked, oldest first. */
            keys: components["schemas"]["ServiceAccountKey"][];
            name: string;
            /** @description The ids of its roles. */
            roles: string[];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ServiceAccountKey: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it becomes invalid; null: when it is revoked.
             */
            expiresAt: string | null;
            /** @description The last four characters of the secret. */
            hint: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When a token was last issued for it, to the minute.
             */
            lastUsedAt: string | null;
        };
        Session: {
            /** Format: uuid */
            accountId: string;
            actor: components["schemas"]["SessionActor"] | null;
            /** @description The authentication methods (RFC 8176). */
            amr: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            ip: string | null;
            /** @description The same as `sid`: `endSession` accepts it. */
            jti: string;
            /** Format: date-time */
            lastSeenAt: string;
            /** @description Why that user acts for the member. */
            reason: string | null;
            sid: string;
            /** Format: uuid */
            systemId: string;
            userAgent: string | null;
            /** Format: uuid */
            userId: string;
        };
        /** @description The user who acts for the member in this session. */
        SessionActor: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        SetPassword: {
            /** @description Whether the next sign-in asks for a new password. Default false. */
            mustChangePassword?: boolean;
            /** @description PASSWORD_MIN_LENGTH to 128 characters after normalization to NFC. */
            password: string;
            /** @description Another name of `mustChangePassword`. */
            temporary?: boolean;
        };
        SignInAttempt: {
            action: string;
            ip: string | null;
            outcome: string;
            reason: string | null;
            requestId: string | null;
            /** Format: date-time */
            time: string;
        };
        SigningKey: {
            /**
             * Format: date-time
             * @description From this time on it signs.
             */
            activeFrom: string;
            /** @enum {string} */
            alg: "ES256" | "RS256";
            /** Format: date-time */
            createdAt: string;
            kid: string;
            /**
             * Format: date-time
             * @description From this time on it is not published.
             */
            removeFrom: string | null;
            /**
             * Format: date-time
             * @description From this time on it only verifies.
             */
            retiredFrom: string | null;
            /** @enum {string} */
            state: "next" | "active" | "retired";
        };
        SigningKeys: {
            data: components["schemas"]["SigningKey"][];
            /**
             * Format: date-time
             * @description When new keys are published; null without KEY_ROTATION_DAYS.
             */
            nextRotationAt: string | null;
        };
        /**
         * @description `interaction`: the user has to do something, and is then signed in.
         * @enum {string}
         */
        SignInOutcome: "granted" | "interaction" | "refused";
        /**
         * @description The authority that has exempted the member. Only this one or a higher one can end it, and it does not count while a higher one requires single sign-on.
         * @enum {string}
         */
        SsoExemptBy: "platform" | "system" | "account";
        /**
         * @description The authority that requires single sign-on: a lower one cannot undo it. Null: none does.
         * @enum {string}
         */
        SsoRequiredBy: "platform" | "system" | "account";
        StatsSummary: {
            /** @description Of an account: members who have used a session in it in the last 30 days. */
            activeMembers?: number;
            activeSessions: number;
            activeUsers?: components["schemas"]["ActiveUsers"];
            /** @description That fail, or that the server has disabled. */
            failingWebhooks?: number;
            failures?: components["schemas"]["NumbersOfDay"];
            failuresByReason?: components["schemas"]["NumberOfReason"][];
            /** @description Of an account. */
            members?: number;
            pendingMemberships: number;
            /**
             * @description Whose numbers these are.
             * @enum {string}
             */
            scope: "platform" | "system" | "account";
            signIns?: components["schemas"]["NumbersOfDay"];
            tokens?: components["schemas"]["NumbersOfDay"];
        };
        System: {
            /**
             * @description The signature algorithm of access tokens and service tokens, also of service accounts. `RS256` is for a gateway or an API that verifies no other. After a change, tokens that were signed with the other algorithm remain valid until they expire. Default `ES256`; `RS256` not with `securityProfile`.
             * @enum {string}
             */
            accessTokenAlg: "ES256" | "RS256";
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi: boolean;
            /** @description Whether the sign-in asks for the email address alone, and then for the password, or leads to the connections of the organizations that have verified its domain. Default false. */
            addressFirst: boolean;
            /** @description Whether users with a role with `canActForMembers` can act for other members: at `/token`, with the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693). Default false; only for a confidential client that is no platform system, without `securityProfile`. */
            allowActingForMembers: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow: boolean;
            /** @description The origins from which pages in browsers can call `/token`, `/me` and the other endpoints for clients (CORS), beside those of `redirectUris`: https, the scheme of an app such as `capacitor://localhost`, or http on a loopback address while `BASE_URL` has one. They are compared character by character. Only for a public client. Default none. */
            allowedOrigins: string[];
            /** @description The scopes that the system can request. */
            allowedScopes: string[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister: boolean;
            /** @description Whether accounts of the system can have service accounts: programs with a key and roles of their own. Default false; not for a platform system, and not with `securityProfile`. */
            allowServiceAccounts: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri: string | null;
            branding: components["schemas"]["Branding"];
            /** @description The client id (RFC 6749 section 2.2). */
            clientId: string;
            clientType: components["schemas"]["ClientType"];
            /** @description The home page of the application (RFC 7591 section 2): where pages at the end of a flow lead to without `initiateLoginUri`. https, or a loopback address while `BASE_URL` has one. */
            clientUri: string | null;
            connectionMfa: components["schemas"]["SystemConnectionMfa"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: email
             * @description The address that emails of the system are sent from, instead of that of `MAIL_FROM`. The mail server must be allowed to send from it. Only the platform sets it.
             */
            emailFrom: string | null;
            /**
             * Format: email
             * @description The address to which answers to emails of the system go. Only the platform sets it.
             */
            emailReplyTo: string | null;
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. That of access tokens is `accessTokenAlg`.
             * @enum {string}
             */
            idTokenAlg: "RS256" | "ES256";
            /** @description A page of the application that starts its sign-in (OpenID Connect Core section 4): where pages at the end of a flow lead to. It has the origin of one of `redirectUris`, and receives `iss` and, where known, `login_hint`, `account_id` and `connection`. https, or a loopback address while `BASE_URL` has one. */
            initiateLoginUri: string | null;
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy: string[];
            /** @description Where the browser of a user continues who has accepted an invitation: a page of the application that starts its sign-in (OpenID Connect Core section 4). It has the origin of one of `redirectUris`, and receives `iss`, `account_id` and `login_hint`. Without it, `initiateLoginUri`. */
            invitationUri: string | null;
            jwks: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount: boolean;
            name: string;
            organizationSso: components["schemas"]["OrganizationSso"];
            /** @description Whether this is a platform system: its service tokens and admins have platform authority. */
            platform: boolean;
            /** @description The privacy policy (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            policyUri: string | null;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris: string[];
            /**
             * Format: date-time
             * @description Until this time the secret before the last rotation is valid as well; null without one.
             */
            previousSecretUntil: string | null;
            /** @description The callback URLs. They are compared character by character. */
            redirectUris: string[];
            /** @description Whether new memberships are `pending` until they are activated. Default false. */
            requireAdminActivation: boolean;
            /** @description Whether a sign-in requires a code that is sent by email. Default false. */
            requireEmailOtp: boolean;
            /** @description Whether a sign-in requires a second factor. Default false. */
            requireMfa: boolean;
            /** @description Whether authorization requests must use PKCE. False only for a confidential client whose library does not support it, without `securityProfile`. Default true. */
            requirePkce: boolean;
            /** @description Whether authorization requests must be request objects that are signed with a key of the system (RFC 9101). Requires `jwks` or `jwksUri`. Default false. */
            requireSignedRequestObject: boolean;
            securityProfile: components["schemas"]["SecurityProfile"] | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent: boolean;
            /** @description Where users find help, a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            supportUri: string | null;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none";
            /** @description The terms of service (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            tosUri: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * @description When a sign-in by a connection of an organization has a second factor, unless `mfa` of the connection says it. `reported`: if the identity provider states it. `trusted`: always, except by a connection that an account admin has set up. Default `reported`.
         * @enum {string}
         */
        SystemConnectionMfa: "reported" | "trusted";
        SystemList: {
            data: components["schemas"]["System"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        TableSize: {
            bytes: number;
            name: string;
            /** @description An estimate. */
            rows: number;
        };
        TemporaryPassword: {
            /** @description Only in this response. Expires after 72 hours. */
            temporaryPassword: string;
        };
        TestedEmailText: {
            email: string;
        };
        TestSignIn: {
            /** Format: uuid */
            accountId: string | null;
            acr: components["schemas"]["TestSignInAcr"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            forUserId: string | null;
            /** Format: uuid */
            id: string;
            prompt: components["schemas"]["TestSignInPrompt"] | null;
            result: components["schemas"]["TestSignInResult"] | null;
            /** @description Scopes of the system, separated by spaces. */
            scope: string;
            /** Format: date-time */
            sharedAt: string | null;
            /**
             * @description `open`: the user has not shared the result, and can until `expiresAt`.
             * @enum {string}
             */
            status: "open" | "shared" | "expired";
            /** Format: uuid */
            systemId: string;
        };
        /**
         * @description `mfa`: a second factor is requested (`acr_values`).
         * @enum {string}
         */
        TestSignInAcr: "mfa";
        /**
         * @description The parameter `prompt` of the request.
         * @enum {string}
         */
        TestSignInPrompt: "login" | "select_account" | "consent";
        TestSignInResult: {
            /** @description The claims that an access token of the user would contain; null if the sign-in does not get that far. `acr` and `amr` are missing if the user would set up a second factor first. */
            claims: components["schemas"]["TokenClaims"] | null;
            steps: components["schemas"]["TestSignInStep"][];
        };
        TestSignInStep: {
            /** @description The reason of the verdict. */
            code: string;
            step: components["schemas"]["TestSignInStepName"];
            /**
             * @description `asked`: a real sign-in would ask the user; the test did not. `refused`: a real sign-in ends here. `skipped`: not required.
             * @enum {string}
             */
            verdict: "passed" | "asked" | "refused" | "skipped";
        };
        /** @enum {string} */
        TestSignInStepName: "user" | "credential" | "address" | "password" | "code" | "factor" | "membership" | "account" | "consent";
        TokenClaims: {
            [key: string]: unknown;
        };
        UpdateAccount: {
            /** @description Whether the user of another verified address can accept an emailed invitation. Default: false. */
            acceptOtherAddress?: boolean;
            branding?: components["schemas"]["AccountBranding"];
            /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
            externalId?: string | null;
            /** @description Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true. */
            membersVisible?: boolean;
            /** @description Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it. */
            metadata?: {
                [key: string]: unknown;
            };
            name?: string;
            /** @description Whether a sign-in of a member to the account requires a second factor. */
            requireMfa?: boolean;
            /** @description Whether the memberships open only to a login by a connection of the organization. Default: false. */
            ssoRequired?: boolean;
            /** @description Whether the admins of the organization set up its single sign-on, where `organizationSso` of the system is `system`. Only the system and the platform change it. Default: false. */
            ssoSelfService?: boolean;
            status?: components["schemas"]["AccountStatus"];
        };
        UpdateConnection: {
            /** @description The certificates with which the SAML provider signs, in PEM, with RSA keys of at least 2,048 bits. A list replaces the one before. Their keys are trusted until they are replaced, also after their end. */
            certificates?: string[];
            clientId?: string;
            /** @description Stored encrypted, sent to the provider only, and never returned. */
            clientSecret?: string;
            /** @description Whether only people of the organization can sign in at the provider. Then an address of a verified domain counts as verified also if the provider does not state `email_verified`. Default: false. */
            closedIssuer?: boolean;
            /** @description Ids of the roles of members whom the connection adds. No admin role, and none that acts for members. */
            defaultRoles?: string[];
            /** @description A connection can be enabled after a test that succeeded. */
            enabled?: boolean;
            /** @description The claim, or the exact name of the attribute, with the groups of a person; null: none. */
            groupAttribute?: string | null;
            /** @description The issuer of the provider, as its metadata states it; of a SAML provider its entityID, which is compared exactly. After the first test that succeeded it does not change. An issuer of OpenID Connect at which people of several organizations sign in is refused; `https://accounts.google.com` is accepted with the required claim `hd`. */
            issuer?: string;
            /** @description Whether people with an address of a verified domain become members when they sign in for the first time. Default: false. */
            jit?: boolean;
            /** @description The metadata of the SAML provider, as XML. It sets `issuer`, if there is none, `ssoUrl` and `certificates`, and is not stored. */
            metadata?: string;
            /** @description The address of the metadata of the SAML provider: https. It is read at once when it is set, and daily; what it states replaces `ssoUrl` and `certificates`. Null: it is not read. */
            metadataUrl?: string | null;
            mfa?: components["schemas"]["ConnectionMfa"] | null;
            /** @description Values of `acr` that are requested, and that say that a second factor was verified. Of SAML: classes of the login (`AuthnContextClassRef`), which are not requested. */
            mfaAcr?: string[];
            name?: string;
            reauthentication?: components["schemas"]["Reauthentication"];
            requiredClaims?: components["schemas"]["RequiredClaims"];
            /** @description Whether the connection signs in members who have a role that account admins do not assign. Set by the system and the platform. Default: false. */
            reservedRoles?: boolean;
            /** @description The scopes that are requested. Contains `openid`. Default: `openid`, `email`, `profile`. */
            scopes?: string[];
            /**
             * Format: date-time
             * @description When the client secret expires at the provider; null: not known.
             */
            secretExpiresAt?: string | null;
            /** @description After so many hours a sign-in by the connection ends. Default: 24. */
            sessionHours?: number;
            setBy?: components["schemas"]["ConnectionSetBy"];
            /** @description Where the SAML provider takes requests (binding HTTP-Redirect): an https address, which may have a query. */
            ssoUrl?: string;
            /** @description What identifies a person at the provider. OpenID Connect: the claim `sub` or `oid`, which is for Entra ID, whose `sub` differs for each registered application. SAML: the exact name of an attribute; null: the NameID. After the first test that succeeded it does not change. Default: `sub`; null of SAML. */
            subjectAttribute?: string | null;
        };
        UpdateDomain: {
            setBy?: components["schemas"]["DomainSetBy"];
            /** @description Whether the addresses of domains below it belong to it as well. Default: false. */
            subdomains?: boolean;
        };
        UpdateMembership: {
            /** @description Required single sign-on of the organization does not apply to the member. */
            ssoExempt?: boolean;
            status?: components["schemas"]["MembershipStatus"];
        };
        UpdateMembershipProfiles: {
            add?: string[];
            profiles?: string[];
            remove?: string[];
        };
        UpdateMembershipRoles: {
            add?: string[];
            remove?: string[];
            roles?: string[];
        };
        UpdateProfile: {
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            attributes?: {
                [key: string]: unknown;
            };
            description?: string | null;
            name?: string;
        };
        UpdateRole: {
            /** @description Whether admins of accounts can assign and remove the role. Default true. If false, the role is reserved: only the system and the platform assign and remove it, and account admins cannot change a membership that has it. */
            assignableByAccountAdmins?: boolean;
            /** @description Whether a member with this role can act for other members of the system, if it has `allowActingForMembers`. Default false; requires `assignableByAccountAdmins` false. */
            canActForMembers?: boolean;
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name?: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
        UpdateServiceAccount: {
            /** @description Whether it gets no tokens. Default: false. */
            disabled?: boolean;
            name?: string;
            roles?: string[];
        };
        UpdateSystem: {
            /**
             * @description The signature algorithm of access tokens and service tokens, also of service accounts. `RS256` is for a gateway or an API that verifies no other. After a change, tokens that were signed with the other algorithm remain valid until they expire. Default `ES256`; `RS256` not with `securityProfile`.
             * @enum {string}
             */
            accessTokenAlg?: "ES256" | "RS256";
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType?: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi?: boolean;
            /** @description Whether the sign-in asks for the email address alone, and then for the password, or leads to the connections of the organizations that have verified its domain. Default false. */
            addressFirst?: boolean;
            /** @description Whether users with a role with `canActForMembers` can act for other members: at `/token`, with the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693). Default false; only for a confidential client that is no platform system, without `securityProfile`. */
            allowActingForMembers?: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials?: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow?: boolean;
            /** @description The origins from which pages in browsers can call `/token`, `/me` and the other endpoints for clients (CORS), beside those of `redirectUris`: https, the scheme of an app such as `capacitor://localhost`, or http on a loopback address while `BASE_URL` has one. They are compared character by character. Only for a public client. Default none. */
            allowedOrigins?: string[];
            /** @description The scopes that the system can request. Must contain `openid`. */
            allowedScopes?: ("openid" | "email" | "profile" | "phone" | "address" | "offline_access")[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister?: boolean;
            /** @description Whether accounts of the system can have service accounts: programs with a key and roles of their own. Default false; not for a platform system, and not with `securityProfile`. */
            allowServiceAccounts?: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri?: string | null;
            branding?: components["schemas"]["Branding"];
            /** @description The home page of the application (RFC 7591 section 2): where pages at the end of a flow lead to without `initiateLoginUri`. https, or a loopback address while `BASE_URL` has one. */
            clientUri?: string | null;
            connectionMfa?: components["schemas"]["SystemConnectionMfa"];
            /**
             * Format: email
             * @description The address that emails of the system are sent from, instead of that of `MAIL_FROM`. The mail server must be allowed to send from it. Only the platform sets it.
             */
            emailFrom?: string | null;
            /**
             * Format: email
             * @description The address to which answers to emails of the system go. Only the platform sets it.
             */
            emailReplyTo?: string | null;
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId?: string | null;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. That of access tokens is `accessTokenAlg`.
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /** @description A page of the application that starts its sign-in (OpenID Connect Core section 4): where pages at the end of a flow lead to. It has the origin of one of `redirectUris`, and receives `iss` and, where known, `login_hint`, `account_id` and `connection`. https, or a loopback address while `BASE_URL` has one. */
            initiateLoginUri?: string | null;
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy?: string[];
            /** @description Where the browser of a user continues who has accepted an invitation: a page of the application that starts its sign-in (OpenID Connect Core section 4). It has the origin of one of `redirectUris`, and receives `iss`, `account_id` and `login_hint`. Without it, `initiateLoginUri`. */
            invitationUri?: string | null;
            jwks?: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri?: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount?: boolean;
            name?: string;
            organizationSso?: components["schemas"]["OrganizationSso"];
            /** @description The privacy policy (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            policyUri?: string | null;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris?: string[];
            /** @description The callback URLs. They are compared character by character. */
            redirectUris?: string[];
            /** @description Whether new memberships are `pending` until they are activated. Default false. */
            requireAdminActivation?: boolean;
            /** @description Whether a sign-in requires a code that is sent by email. Default false. */
            requireEmailOtp?: boolean;
            /** @description Whether a sign-in requires a second factor. Default false. */
            requireMfa?: boolean;
            /** @description Whether authorization requests must use PKCE. False only for a confidential client whose library does not support it, without `securityProfile`. Default true. */
            requirePkce?: boolean;
            /** @description Whether authorization requests must be request objects that are signed with a key of the system (RFC 9101). Requires `jwks` or `jwksUri`. Default false. */
            requireSignedRequestObject?: boolean;
            securityProfile?: components["schemas"]["SecurityProfile"] | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent?: boolean;
            /** @description Where users find help, a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            supportUri?: string | null;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt" | "none";
            /** @description The terms of service (RFC 7591 section 2), a link at the foot of the pages. https, or a loopback address while `BASE_URL` has one. */
            tosUri?: string | null;
        };
        UpdateUser: {
            address?: components["schemas"]["PostalAddress"] | null;
            /** @description `YYYY-MM-DD`, `YYYY`, or `0000-MM-DD` without the year. */
            birthdate?: string | null;
            /** @description Whether the user cannot sign in. */
            disabled?: boolean;
            /**
             * Format: email
             * @description Stored and returned in NFC, with ASCII letters in lower case and the domain as A-labels without a trailing dot. A domain with characters that IDNA maps to others is refused.
             */
            email?: string;
            emailVerified?: boolean;
            familyName?: string | null;
            gender?: string | null;
            givenName?: string | null;
            locale?: string | null;
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            metadata?: {
                [key: string]: unknown;
            };
            middleName?: string | null;
            name?: string | null;
            nickname?: string | null;
            /** @description In the format E.164, such as `+351210000000`. */
            phoneNumber?: string | null;
            /** @description Whether the caller has verified `phoneNumber`. Another number is not verified. A service token states it for its own system only, together with the number. */
            phoneNumberVerified?: boolean;
            /** @description The URL of a picture of the user. */
            picture?: string | null;
            preferredUsername?: string | null;
            /** @description The URL of a page about the user. */
            profile?: string | null;
            website?: string | null;
            /** @description A name of the IANA time zone database, such as `Europe/Lisbon`. */
            zoneinfo?: string | null;
        };
        UpdateWebhook: {
            /** @description While it is false, no deliveries are queued. Default true. */
            enabled?: boolean;
            /** @description The types of event to send. An empty list means all, including types of later versions. Default empty. */
            events?: components["schemas"]["EventType"][];
            /** @description A public https URL. While `BASE_URL` is a loopback address, also a URL of this machine, with http or https. */
            url?: string;
        };
        /** @description All fields but `id` and `email` are absent for a user of another system, whom `listUsers` finds by the complete address. */
        User: {
            address?: components["schemas"]["PostalAddress"] | null;
            /** @description `YYYY-MM-DD`, `YYYY`, or `0000-MM-DD` without the year. */
            birthdate?: string | null;
            /** Format: date-time */
            createdAt?: string;
            /** @description Whether the user cannot sign in. */
            disabled?: boolean;
            email: string;
            emailVerified?: boolean;
            familyName?: string | null;
            gender?: string | null;
            givenName?: string | null;
            hasPassword?: boolean;
            /** Format: uuid */
            id: string;
            identities?: components["schemas"]["Identity"][];
            /** Format: date-time */
            lastLoginAt?: string | null;
            locale?: string | null;
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Whether an authenticator app or a passkey is enrolled. */
            mfaEnabled?: boolean;
            middleName?: string | null;
            /** @description Whether the next sign-in asks for a new password. */
            mustChangePassword?: boolean;
            name?: string | null;
            nickname?: string | null;
            /** @description In the format E.164, such as `+351210000000`. */
            phoneNumber?: string | null;
            /** @description Whether the caller has verified `phoneNumber`. Another number is not verified. A service token states it for its own system only, together with the number. */
            phoneNumberVerified?: boolean;
            /** @description The URL of a picture of the user. */
            picture?: string | null;
            preferredUsername?: string | null;
            /** @description The URL of a page about the user. */
            profile?: string | null;
            /** Format: date-time */
            updatedAt?: string;
            website?: string | null;
            /** @description A name of the IANA time zone database, such as `Europe/Lisbon`. */
            zoneinfo?: string | null;
        };
        UserExport: {
            activity: components["schemas"]["ExportedActivity"][];
            audit: components["schemas"]["ExportedAuditEntry"][];
            blocks: components["schemas"]["ExportedBlock"][];
            connectionLinks: components["schemas"]["ExportedConnectionLink"][];
            consents: components["schemas"]["ExportedConsent"][];
            /** Format: date-time */
            exportedAt: string;
            factors: components["schemas"]["ExportedFactors"];
            identities: components["schemas"]["ExportedIdentity"][];
            links: components["schemas"]["ExportedLink"][];
            mails: components["schemas"]["ExportedEmail"][];
            memberships: components["schemas"]["ExportedMembership"][];
            operators: components["schemas"]["ExportedOperator"][];
            personalAccounts: components["schemas"]["ExportedAccount"][];
            sessions: components["schemas"]["ExportedSession"][];
            statedAddresses: components["schemas"]["ExportedStatedAddress"][];
            user: components["schemas"]["User"];
        };
        UserLimit: {
            /** @description Those that are not forgotten yet. */
            attempts: number;
            /**
             * @description `code`: an emailed one.
             * @enum {string}
             */
            credential: "password" | "second_factor" | "code";
            email: string;
            /**
             * @description Whose attempts are counted: of `all_networks` together, of one `network`, or of one `browser` in which the user has signed in before.
             * @enum {string}
             */
            from: "all_networks" | "network" | "browser";
            /**
             * Format: uuid
             * @description The system of the sign-in; null: all systems.
             */
            systemId: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is checked; null: at once.
             */
            until: string | null;
            /** Format: uuid */
            userId: string;
        };
        UserLimits: {
            data: components["schemas"]["UserLimit"][];
        };
        UserList: {
            data: components["schemas"]["User"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description `asked`: the user has to do something. `refused`: the sign-in ends here. `skipped`: does not apply, or is not shown to the caller (`not_shown`). `unreached`: after a refusal, or after an answer of the user that is not known.
         * @enum {string}
         */
        Verdict: "passed" | "asked" | "refused" | "skipped" | "unreached";
        WantedLink: {
            subject: string;
            /** Format: uuid */
            userId: string;
        };
        Webhook: {
            /** Format: date-time */
            createdAt: string;
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description While it is false, no deliveries are queued. Default true. */
            enabled: boolean;
            /** @description The types of event to send. Empty: all. */
            events: string[];
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The endpoint. */
            url: string;
        };
        /**
         * @description Why the server disabled the webhook: `gone`, the endpoint responded 410; `failing`, no delivery succeeded for five days. Null if it did not.
         * @enum {string}
         */
        WebhookDisabledReason: "gone" | "failing";
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        /**
         * @description `failing`: the last attempt failed. `paused`: the endpoint has asked to wait. `disabled`: nothing is sent.
         * @enum {string}
         */
        WebhookState: "ok" | "paused" | "failing" | "disabled";
        WebhookStateList: {
            data: components["schemas"]["WebhookWithState"][];
            /** @description The `cursor` of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. With a `cursor`, the number that was counted before, or that of the items so far if it is greater; on the last page the latter. */
            total: number;
        };
        WebhookTest: {
            /**
             * Format: uuid
             * @description The id of the test event.
             */
            eventId: string;
        };
        WebhookWithState: {
            /** Format: date-time */
            createdAt: string;
            deliveries: components["schemas"]["DeliveryNumbers"];
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description While it is false, no deliveries are queued. Default true. */
            enabled: boolean;
            /** @description The types of event to send. Empty: all. */
            events: string[];
            /**
             * Format: date-time
             * @description The time of the first of the consecutive failures.
             */
            failingSince: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description The time until which nothing is sent.
             */
            pausedUntil: string | null;
            state: components["schemas"]["WebhookState"];
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The endpoint. */
            url: string;
        };
    };
    responses: never;
    parameters: {
        /**
         * @description The id of the account.
         * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
         */
        AccountIdParameter: string;
        /** @description Whether the account is the personal one of a user. */
        AccountKindParameter: "personal" | "organization";
        /** @description The members and service accounts of a suspended account get no access. Only the system and the platform suspend an organization. */
        AccountStatusParameter: "active" | "suspended";
        /** @description Who acted: `service` is a client, `server` the process itself or its operator. */
        ActorTypeParameter: "user" | "service" | "anonymous" | "server";
        /** @description The outcome. */
        AuditOutcomeParameter: "success" | "failure";
        /**
         * @description The id of the connection.
         * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
         */
        ConnectionIdParameter: string;
        /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
        CursorParameter: string;
        /**
         * @description The id of the delivery.
         * @example 1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12
         */
        DeliveryIdParameter: string;
        /** @description The status of a delivery. `superseded`: it is not sent, because a later event has ended the access. */
        DeliveryStatusParameter: "pending" | "delivered" | "failed" | "superseded";
        /**
         * @description The id of the domain.
         * @example 3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15
         */
        DomainIdParameter: string;
        /**
         * @description The id of the email.
         * @example 8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975
         */
        EmailIdParameter: string;
        /**
         * @description The kind of the email.
         * @example access_approved
         */
        EmailKindPathParameter: "password_reset" | "email_verification" | "registration" | "user_exists" | "invitation" | "mailed_code" | "access_approved" | "access_requested" | "password_changed" | "password_reset_by_admin" | "email_changed" | "new_device" | "factor_added" | "factor_removed" | "mfa_removed" | "recovery_code_used" | "identity_added" | "identity_removed";
        /**
         * @description The language of the email.
         * @example en
         */
        EmailLanguagePathParameter: "en" | "de" | "es" | "fr" | "ja" | "pt";
        /** @description Returns only items whose email address contains this text. Case-insensitive. */
        EmailSearchParameter: string;
        /** @description The type of an event. */
        EventTypeParameter: "user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "user.merged" | "account.created" | "account.updated" | "account.deleted" | "account.suspended" | "account.resumed" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "invitation.expired" | "service_account.created" | "service_account.updated" | "service_account.enabled" | "service_account.disabled" | "service_account.deleted" | "service_account.key_created" | "service_account.key_revoked" | "service_account.token_revoked" | "connection.enabled" | "connection.disabled" | "domain.verified" | "domain.lapsed" | "domain.removed" | "session.acting_started" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse";
        /**
         * @description The id of the factor.
         * @example e2a4c6f8-1b3d-4750-92e6-a8c0d2f4b617
         */
        FactorIdParameter: string;
        /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
        IdempotencyKeyParameter: string;
        /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
        IfMatchParameter: string;
        /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
        IfNoneMatchParameter: string;
        /**
         * @description The id of the invitation.
         * @example a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02
         */
        InvitationIdParameter: string;
        /** @description The status of an invitation. */
        InvitationStatusParameter: "pending" | "accepted" | "declined" | "revoked" | "expired";
        /**
         * @description The id of the job.
         * @example 7e3b5d91-c0a8-4f26-9b4e-8d1c6a2f0e57
         */
        JobIdParameter: string;
        /**
         * @description The id of the key.
         * @example d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246
         */
        KeyIdParameter: string;
        /** @description The status of an email. `failed`: it was refused, or has expired. */
        MailStatusParameter: "pending" | "sent" | "failed";
        /**
         * @description The id of the membership.
         * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
         */
        MembershipIdParameter: string;
        /** @description `createdAt`: the newest first (default). `updatedAt`: the last changed first. */
        MembershipSortParameter: "createdAt" | "updatedAt";
        /** @description The status of a membership. */
        MembershipStatusParameter: "pending" | "active" | "blocked";
        /** @description What is counted. */
        MetricParameter: "sign_ins" | "failures" | "tokens" | "deliveries" | "emails" | "active_users";
        /** @description Returns only items whose name or, for platform and system, `externalId` contains this text. Case-insensitive. */
        NameOrIdSearchParameter: string;
        /** @description Returns only items whose name contains this text. Case-insensitive. */
        NameSearchParameter: string;
        /**
         * @description The id of the operator.
         * @example 90b4d8f2-3a6c-4e17-95d8-c1f3a5b7e926
         */
        OperatorIdParameter: string;
        /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
        OrderParameter: "createdAt";
        /** @description The number of the page, from 1. A page after the last one is empty. */
        PageParameter: number;
        /** @description The number of items on a page. A value above 100 is treated as 100. */
        PageSizeParameter: number;
        /**
         * @description The id of the profile.
         * @example c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57
         */
        ProfileIdParameter: string;
        /**
         * @description The id of the role.
         * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
         */
        RoleIdParameter: string;
        /** @description What distinguishes the series: `system`, or by default the dimension of the metric. */
        SeriesByParameter: "method" | "reason" | "grant" | "class" | "outcome" | "window" | "system";
        /** @description The length of a bucket. */
        SeriesStepParameter: "hour" | "day";
        /**
         * @description The id of the serviceAccount.
         * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
         */
        ServiceAccountIdParameter: string;
        /**
         * @description The `sid` of the session, or the `jti` of one of its tokens.
         * @example k4Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsA
         */
        SessionJtiParameter: string;
        /**
         * @description The id of the system.
         * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
         */
        SystemIdParameter: string;
        /**
         * @description `logo-dark` is shown in dark mode instead of the logo.
         * @example logo
         */
        SystemImageParameter: "logo" | "logo-dark" | "favicon";
        /** @description Returns only items whose name contains this text, case-insensitively, or whose client id starts with it. */
        SystemSearchParameter: string;
        /**
         * @description The id of the testSignIn.
         * @example 6b8d0f27-c1e4-4a59-8d36-f2a4c6e80b13
         */
        TestSignInIdParameter: string;
        /**
         * @description The id of the user.
         * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
         */
        UserIdParameter: string;
        /** @description Returns only items whose email address or name, as the caller reads them in the item, contains this text. Case-insensitive. With `search`, both must match. */
        UserQueryParameter: string;
        /** @description `createdAt`: the newest first (default). `lastLoginAt`: the latest sign-in first, users who have never signed in last. With platform authority only. */
        UserSortParameter: "createdAt" | "lastLoginAt";
        /**
         * @description The id of the webhook.
         * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
         */
        WebhookIdParameter: string;
        /** @description `failing`: the last attempt failed. `paused`: the endpoint has asked to wait. `disabled`: nothing is sent. */
        WebhookStateParameter: "ok" | "paused" | "failing" | "disabled";
    };
    requestBodies: never;
    headers: {
        /**
         * @description The version of the resource (RFC 9110 section 8.8.3), for `If-Match` and `If-None-Match`.
         * @example "V2pQXG1kT0f0m1c1b5c0Z3l1w6A"
         */
        ETag: string;
        /**
         * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`. Not sent otherwise.
         * @example true
         */
        IdempotencyReplayed: string;
        /**
         * @description The fields and query parameters that the operation does not have and ignores, as paths separated by commas. Not sent if there are none.
         * @example colour, branding/shape, query/sort
         */
        IgnoredFields: string;
        /**
         * @description The path of the created resource.
         * @example /admin/users/5f0999dc-6ae6-4ba3-a73c-8320e7df7b30
         */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAllAccounts: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
                externalId?: string;
                /** @description Whether the account is the personal one of a user. */
                kind?: components["parameters"]["AccountKindParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose name or, for platform and system, `externalId` contains this text. Case-insensitive. */
                search?: components["parameters"]["NameOrIdSearchParameter"];
                /** @description The members and service accounts of a suspended account get no access. Only the system and the platform suspend an organization. */
                status?: components["parameters"]["AccountStatusParameter"];
                systemId?: string;
                /** @description If true, returns only organizations without an active admin. */
                withoutAdmin?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "name": "Acme",
                     *           "kind": "organization",
                     *           "status": "active",
                     *           "suspendedBy": [],
                     *           "requireMfa": false,
                     *           "requireMfaBy": [],
                     *           "ssoRequired": false,
                     *           "ssoRequiredBy": null,
                     *           "membersVisible": true,
                     *           "acceptOtherAddress": false,
                     *           "ssoSelfService": false,
                     *           "branding": {
                     *             "color": "#336699"
                     *           },
                     *           "metadata": {
                     *             "plan": "gold"
                     *           },
                     *           "externalId": "crm:A-1042",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z",
                     *           "memberCount": 3,
                     *           "adminCount": 1,
                     *           "pendingCount": 0
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountSummaryList"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Acme",
                     *       "kind": "organization",
                     *       "status": "active",
                     *       "suspendedBy": [],
                     *       "requireMfa": false,
                     *       "requireMfaBy": [],
                     *       "ssoRequired": false,
                     *       "ssoRequiredBy": null,
                     *       "membersVisible": true,
                     *       "acceptOtherAddress": false,
                     *       "ssoSelfService": false,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "metadata": {
                     *         "plan": "gold"
                     *       },
                     *       "externalId": "crm:A-1042",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAccount"];
            };
        };
        responses: {
            /** @description The account after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Acme Ltd",
                     *       "kind": "organization",
                     *       "status": "active",
                     *       "suspendedBy": [],
                     *       "requireMfa": false,
                     *       "requireMfaBy": [],
                     *       "ssoRequired": false,
                     *       "ssoRequiredBy": null,
                     *       "membersVisible": true,
                     *       "acceptOtherAddress": false,
                     *       "ssoSelfService": false,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "metadata": {
                     *         "plan": "gold"
                     *       },
                     *       "externalId": "crm:A-1042",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    putAccountLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example The bytes of the image. */
                "image/png": Uint8Array;
            };
        };
        responses: {
            /** @description The account after the upload. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Acme",
                     *       "kind": "organization",
                     *       "status": "active",
                     *       "suspendedBy": [],
                     *       "requireMfa": false,
                     *       "requireMfaBy": [],
                     *       "ssoRequired": false,
                     *       "ssoRequiredBy": null,
                     *       "membersVisible": true,
                     *       "acceptOtherAddress": false,
                     *       "ssoSelfService": false,
                     *       "branding": {
                     *         "color": "#336699",
                     *         "logoUrl": "https://id.example/brand/8Jm2xV4qTz7LwN1cRk9sYb3pHf6dGa0eUiXo5tQvWyM.png"
                     *       },
                     *       "metadata": {
                     *         "plan": "gold"
                     *       },
                     *       "externalId": "crm:A-1042",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    deleteAccountLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logo was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listConnections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connections. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71",
                     *         "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *         "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Okta",
                     *         "kind": "oidc",
                     *         "enabled": false,
                     *         "redirectUri": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/callback",
                     *         "acsUrl": null,
                     *         "entityId": null,
                     *         "startUrl": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/start",
                     *         "issuer": "https://acme.okta.com",
                     *         "clientId": "0oa1example",
                     *         "hasSecret": true,
                     *         "secretExpiresAt": null,
                     *         "ssoUrl": null,
                     *         "metadataUrl": null,
                     *         "certificates": [],
                     *         "scopes": [
                     *           "openid",
                     *           "email",
                     *           "profile"
                     *         ],
                     *         "requiredClaims": {},
                     *         "closedIssuer": false,
                     *         "subjectAttribute": "sub",
                     *         "groupAttribute": null,
                     *         "jit": false,
                     *         "defaultRoles": [],
                     *         "sessionHours": 24,
                     *         "mfaAcr": [],
                     *         "reauthentication": "stated",
                     *         "reservedRoles": false,
                     *         "mfa": null,
                     *         "setBy": "account",
                     *         "missing": [],
                     *         "testedAt": "2026-03-02T09:30:00.000Z",
                     *         "changedSinceTest": false,
                     *         "lastUsedAt": null,
                     *         "lastError": null,
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Connection"][];
                };
            };
        };
    };
    createConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Okta",
                 *       "kind": "oidc"
                 *     }
                 */
                "application/json": components["schemas"]["CreateConnection"];
            };
        };
        responses: {
            /** @description The connection. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "Okta",
                     *       "kind": "oidc",
                     *       "enabled": false,
                     *       "redirectUri": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/callback",
                     *       "acsUrl": null,
                     *       "entityId": null,
                     *       "startUrl": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/start",
                     *       "issuer": null,
                     *       "clientId": null,
                     *       "hasSecret": false,
                     *       "secretExpiresAt": null,
                     *       "ssoUrl": null,
                     *       "metadataUrl": null,
                     *       "certificates": [],
                     *       "scopes": [
                     *         "openid",
                     *         "email",
                     *         "profile"
                     *       ],
                     *       "requiredClaims": {},
                     *       "closedIssuer": false,
                     *       "subjectAttribute": "sub",
                     *       "groupAttribute": null,
                     *       "jit": false,
                     *       "defaultRoles": [],
                     *       "sessionHours": 24,
                     *       "mfaAcr": [],
                     *       "reauthentication": "stated",
                     *       "reservedRoles": false,
                     *       "mfa": null,
                     *       "setBy": "account",
                     *       "missing": [
                     *         "issuer",
                     *         "clientId",
                     *         "clientSecret"
                     *       ],
                     *       "testedAt": null,
                     *       "changedSinceTest": false,
                     *       "lastUsedAt": null,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    getConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "Okta",
                     *       "kind": "oidc",
                     *       "enabled": false,
                     *       "redirectUri": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/callback",
                     *       "acsUrl": null,
                     *       "entityId": null,
                     *       "startUrl": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/start",
                     *       "issuer": "https://acme.okta.com",
                     *       "clientId": "0oa1example",
                     *       "hasSecret": true,
                     *       "secretExpiresAt": null,
                     *       "ssoUrl": null,
                     *       "metadataUrl": null,
                     *       "certificates": [],
                     *       "scopes": [
                     *         "openid",
                     *         "email",
                     *         "profile"
                     *       ],
                     *       "requiredClaims": {},
                     *       "closedIssuer": false,
                     *       "subjectAttribute": "sub",
                     *       "groupAttribute": null,
                     *       "jit": false,
                     *       "defaultRoles": [],
                     *       "sessionHours": 24,
                     *       "mfaAcr": [],
                     *       "reauthentication": "stated",
                     *       "reservedRoles": false,
                     *       "mfa": null,
                     *       "setBy": "account",
                     *       "missing": [],
                     *       "testedAt": "2026-03-02T09:30:00.000Z",
                     *       "changedSinceTest": false,
                     *       "lastUsedAt": null,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    deleteConnection: {
        parameters: {
            query?: {
                /** @description Whether the system or the platform ends the last enabled connection of an account that requires single sign-on: the account stops requiring it. */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection was deleted. */
            204: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateConnection: {
        parameters: {
            query?: {
                /** @description Whether the system or the platform ends the last enabled connection of an account that requires single sign-on: the account stops requiring it. */
                force?: boolean;
            };
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Okta (new)",
                 *       "sessionHours": 12
                 *     }
                 */
                "application/json": components["schemas"]["UpdateConnection"];
            };
        };
        responses: {
            /** @description The connection after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "Okta (new)",
                     *       "kind": "oidc",
                     *       "enabled": false,
                     *       "redirectUri": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/callback",
                     *       "acsUrl": null,
                     *       "entityId": null,
                     *       "startUrl": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/start",
                     *       "issuer": "https://acme.okta.com",
                     *       "clientId": "0oa1example",
                     *       "hasSecret": true,
                     *       "secretExpiresAt": null,
                     *       "ssoUrl": null,
                     *       "metadataUrl": null,
                     *       "certificates": [],
                     *       "scopes": [
                     *         "openid",
                     *         "email",
                     *         "profile"
                     *       ],
                     *       "requiredClaims": {},
                     *       "closedIssuer": false,
                     *       "subjectAttribute": "sub",
                     *       "groupAttribute": null,
                     *       "jit": false,
                     *       "defaultRoles": [],
                     *       "sessionHours": 12,
                     *       "mfaAcr": [],
                     *       "reauthentication": "stated",
                     *       "reservedRoles": false,
                     *       "mfa": null,
                     *       "setBy": "account",
                     *       "missing": [],
                     *       "testedAt": "2026-03-02T09:30:00.000Z",
                     *       "changedSinceTest": false,
                     *       "lastUsedAt": null,
                     *       "lastError": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    listConnectionAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "48c2e6a0-1bf5-4d39-a074-2f1d6f8c0b45",
                     *         "time": "2026-03-02T09:30:00.000Z",
                     *         "outcome": "refused",
                     *         "code": "provider_answer_invalid",
                     *         "subject": null,
                     *         "email": null,
                     *         "requestId": "48c2e6a0-1bf5-4d39-a074-2f1d6f8c0b45"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ConnectionAttempt"][];
                };
            };
        };
    };
    listConnectionLinks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of links. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "48c2e6a0-1bf5-4d39-a074-2f1d6f8c0b45",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "membershipId": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *           "subject": "00u1example",
                     *           "email": "ana@acme.example",
                     *           "user": {
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "email": "ana@acme.example",
                     *             "name": "Ana Souza"
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "lastUsedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionLinkList"];
                };
            };
        };
    };
    importConnectionLinks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "links": [
                 *         {
                 *           "subject": "00u1example",
                 *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportLinks"];
            };
        };
        responses: {
            /** @description A result for each link. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "subject": "00u1example",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "code": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LinkResults"];
                };
            };
        };
    };
    deleteConnectionLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links were deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    endConnectionSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 12
                     *     }
                     */
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
        };
    };
    testConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the connection.
                 * @example 8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71
                 */
                connectionId: components["parameters"]["ConnectionIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address of the test. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "testUrl": "https://id.example.com/sso/8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71/test?token=Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsAk4",
                     *       "expiresAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionTest"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15",
                     *         "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *         "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "acme.example",
                     *         "subdomains": false,
                     *         "setBy": "account",
                     *         "status": "verified",
                     *         "record": {
                     *           "name": "_tenantry-challenge.acme.example",
                     *           "type": "TXT",
                     *           "value": "tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE"
                     *         },
                     *         "checking": false,
                     *         "checkedAt": "2026-03-02T09:30:00.000Z",
                     *         "outcome": "verified",
                     *         "found": null,
                     *         "verifiedAt": "2026-03-02T09:30:00.000Z",
                     *         "missingSince": null,
                     *         "failingSince": null,
                     *         "lapsesAt": null,
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Domain"][];
                };
            };
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "acme.example"
                 *     }
                 */
                "application/json": components["schemas"]["AddDomain"];
            };
        };
        responses: {
            /** @description The domain with its record. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "acme.example",
                     *       "subdomains": false,
                     *       "setBy": "account",
                     *       "status": "pending",
                     *       "record": {
                     *         "name": "_tenantry-challenge.acme.example",
                     *         "type": "TXT",
                     *         "value": "tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE"
                     *       },
                     *       "checking": false,
                     *       "checkedAt": null,
                     *       "outcome": null,
                     *       "found": null,
                     *       "verifiedAt": null,
                     *       "missingSince": null,
                     *       "failingSince": null,
                     *       "lapsesAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the domain.
                 * @example 3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15
                 */
                domainId: components["parameters"]["DomainIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "acme.example",
                     *       "subdomains": false,
                     *       "setBy": "account",
                     *       "status": "verified",
                     *       "record": {
                     *         "name": "_tenantry-challenge.acme.example",
                     *         "type": "TXT",
                     *         "value": "tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE"
                     *       },
                     *       "checking": false,
                     *       "checkedAt": "2026-03-02T09:30:00.000Z",
                     *       "outcome": "verified",
                     *       "found": null,
                     *       "verifiedAt": "2026-03-02T09:30:00.000Z",
                     *       "missingSince": null,
                     *       "failingSince": null,
                     *       "lapsesAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the domain.
                 * @example 3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15
                 */
                domainId: components["parameters"]["DomainIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the domain.
                 * @example 3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15
                 */
                domainId: components["parameters"]["DomainIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subdomains": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateDomain"];
            };
        };
        responses: {
            /** @description The domain after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "acme.example",
                     *       "subdomains": true,
                     *       "setBy": "account",
                     *       "status": "verified",
                     *       "record": {
                     *         "name": "_tenantry-challenge.acme.example",
                     *         "type": "TXT",
                     *         "value": "tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE"
                     *       },
                     *       "checking": false,
                     *       "checkedAt": "2026-03-02T09:30:00.000Z",
                     *       "outcome": "verified",
                     *       "found": null,
                     *       "verifiedAt": "2026-03-02T09:30:00.000Z",
                     *       "missingSince": null,
                     *       "failingSince": null,
                     *       "lapsesAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    checkDomain: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the domain.
                 * @example 3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15
                 */
                domainId: components["parameters"]["DomainIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A check is due. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "name": "acme.example",
                     *       "subdomains": false,
                     *       "setBy": "account",
                     *       "status": "verified",
                     *       "record": {
                     *         "name": "_tenantry-challenge.acme.example",
                     *         "type": "TXT",
                     *         "value": "tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE"
                     *       },
                     *       "checking": true,
                     *       "checkedAt": "2026-03-02T09:30:00.000Z",
                     *       "outcome": "verified",
                     *       "found": null,
                     *       "verifiedAt": "2026-03-02T09:30:00.000Z",
                     *       "missingSince": null,
                     *       "failingSince": null,
                     *       "lapsesAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
                /** @description The status of an invitation. */
                status?: components["parameters"]["InvitationStatusParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "email": "rui@acme.example",
                     *           "roles": [
                     *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *           ],
                     *           "profiles": [],
                     *           "message": "We start on Monday.",
                     *           "status": "pending",
                     *           "invitedBy": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "acceptedBy": null,
                     *           "sends": 1,
                     *           "lastSentAt": "2026-03-02T09:30:00.000Z",
                     *           "expiresAt": "2026-03-09T09:30:00.000Z",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@acme.example",
                 *       "roles": [
                 *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                 *       ],
                 *       "message": "We start on Monday."
                 *     }
                 */
                "application/json": components["schemas"]["CreateInvitation"];
            };
        };
        responses: {
            /** @description The invitation. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "email": "rui@acme.example",
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "message": "We start on Monday.",
                     *       "status": "pending",
                     *       "invitedBy": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "acceptedBy": null,
                     *       "sends": 1,
                     *       "lastSentAt": "2026-03-02T09:30:00.000Z",
                     *       "expiresAt": "2026-03-09T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the invitation.
                 * @example a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02
                 */
                invitationId: components["parameters"]["InvitationIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "email": "rui@acme.example",
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "message": "We start on Monday.",
                     *       "status": "pending",
                     *       "invitedBy": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "acceptedBy": null,
                     *       "sends": 1,
                     *       "lastSentAt": "2026-03-02T09:30:00.000Z",
                     *       "expiresAt": "2026-03-09T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the invitation.
                 * @example a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02
                 */
                invitationId: components["parameters"]["InvitationIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is not pending any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the invitation.
                 * @example a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02
                 */
                invitationId: components["parameters"]["InvitationIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "email": "rui@acme.example",
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "message": "We start on Monday.",
                     *       "status": "pending",
                     *       "invitedBy": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "acceptedBy": null,
                     *       "sends": 2,
                     *       "lastSentAt": "2026-03-02T09:30:00.000Z",
                     *       "expiresAt": "2026-03-09T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    createInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invitations": [
                 *         {
                 *           "email": "rui@acme.example",
                 *           "roles": [
                 *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                 *           ],
                 *           "message": "We start on Monday."
                 *         },
                 *         {
                 *           "email": "ana@acme.example"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateInvitations"];
            };
        };
        responses: {
            /** @description The result for each address. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "email": "rui@acme.example",
                     *           "status": 201,
                     *           "invitation": {
                     *             "id": "a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02",
                     *             "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *             "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "email": "rui@acme.example",
                     *             "roles": [
                     *               "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *             ],
                     *             "profiles": [],
                     *             "message": "We start on Monday.",
                     *             "status": "pending",
                     *             "invitedBy": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "acceptedBy": null,
                     *             "sends": 1,
                     *             "lastSentAt": "2026-03-02T09:30:00.000Z",
                     *             "expiresAt": "2026-03-09T09:30:00.000Z",
                     *             "createdAt": "2026-03-02T09:30:00.000Z",
                     *             "updatedAt": "2026-03-02T09:30:00.000Z"
                     *           }
                     *         },
                     *         {
                     *           "email": "ana@acme.example",
                     *           "status": 409,
                     *           "code": "membership_exists"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationResults"];
                };
            };
        };
    };
    listAccountMembers: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose email address or name, as the caller reads them in the item, contains this text. Case-insensitive. With `search`, both must match. */
                query?: components["parameters"]["UserQueryParameter"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
                /** @description The status of a membership. */
                status?: components["parameters"]["MembershipStatusParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of memberships. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "status": "active",
                     *           "blockedBy": null,
                     *           "roles": [
                     *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *           ],
                     *           "profiles": [],
                     *           "account": {
                     *             "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "name": "Acme"
                     *           },
                     *           "connection": null,
                     *           "confirmEntry": false,
                     *           "ssoExempt": false,
                     *           "ssoExemptBy": null,
                     *           "user": {
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "email": "ana@acme.example",
                     *             "name": "Ana Souza"
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MembershipList"];
                };
            };
        };
    };
    deleteMemberLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is not linked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listServiceAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69",
                     *         "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *         "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "clientId": "sa_Zk3vT9qLw1XyB2cd",
                     *         "name": "Nightly export",
                     *         "disabled": false,
                     *         "roles": [
                     *           "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *         ],
                     *         "keys": [
                     *           {
                     *             "id": "d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246",
                     *             "hint": "x7Qa",
                     *             "expiresAt": null,
                     *             "lastUsedAt": "2026-03-02T09:30:00.000Z",
                     *             "createdAt": "2026-03-02T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ServiceAccount"][];
                };
            };
        };
    };
    createServiceAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly export",
                 *       "roles": [
                 *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateServiceAccount"];
            };
        };
        responses: {
            /** @description The service account. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "clientId": "sa_Zk3vT9qLw1XyB2cd",
                     *       "name": "Nightly export",
                     *       "disabled": false,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "keys": [],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
        };
    };
    getServiceAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the serviceAccount.
                 * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
                 */
                serviceAccountId: components["parameters"]["ServiceAccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service account. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "clientId": "sa_Zk3vT9qLw1XyB2cd",
                     *       "name": "Nightly export",
                     *       "disabled": false,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "keys": [
                     *         {
                     *           "id": "d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246",
                     *           "hint": "x7Qa",
                     *           "expiresAt": null,
                     *           "lastUsedAt": "2026-03-02T09:30:00.000Z",
                     *           "createdAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
        };
    };
    deleteServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the serviceAccount.
                 * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
                 */
                serviceAccountId: components["parameters"]["ServiceAccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service account is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateServiceAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the serviceAccount.
                 * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
                 */
                serviceAccountId: components["parameters"]["ServiceAccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly export",
                 *       "disabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateServiceAccount"];
            };
        };
        responses: {
            /** @description The service account. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "clientId": "sa_Zk3vT9qLw1XyB2cd",
                     *       "name": "Nightly export",
                     *       "disabled": true,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "keys": [
                     *         {
                     *           "id": "d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246",
                     *           "hint": "x7Qa",
                     *           "expiresAt": null,
                     *           "lastUsedAt": "2026-03-02T09:30:00.000Z",
                     *           "createdAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
        };
    };
    createServiceAccountKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the serviceAccount.
                 * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
                 */
                serviceAccountId: components["parameters"]["ServiceAccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expiresIn": 7776000
                 *     }
                 */
                "application/json": components["schemas"]["CreateServiceAccountKey"];
            };
        };
        responses: {
            /** @description The key with its secret. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246",
                     *       "hint": "x7Qa",
                     *       "expiresAt": "2026-05-31T09:30:00.000Z",
                     *       "lastUsedAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "secret": "tk_V1StGXR8Z5jdHi6BmyTq0nLw3Kc9Pf2Ra7Eu4Yo_x7Qa"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedServiceAccountKey"];
                };
            };
        };
    };
    revokeServiceAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the account.
                 * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
                 */
                accountId: components["parameters"]["AccountIdParameter"];
                /**
                 * @description The id of the key.
                 * @example d1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246
                 */
                keyId: components["parameters"]["KeyIdParameter"];
                /**
                 * @description The id of the serviceAccount.
                 * @example 5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69
                 */
                serviceAccountId: components["parameters"]["ServiceAccountIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description Returns only entries of this action. */
                action?: string;
                /** @description Returns only actions of users whose email address contains this text, and of clients whose id starts with it. Of up to 50 users that the caller can read. */
                actor?: string;
                /** @description Returns only actions of this actor. */
                actorId?: string;
                /** @description Who acted: `service` is a client, `server` the process itself or its operator. */
                actorType?: components["parameters"]["ActorTypeParameter"];
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description Returns only entries of this time and later. */
                from?: string;
                /** @description Returns only entries of this IP address. */
                ip?: string;
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The outcome. */
                outcome?: components["parameters"]["AuditOutcomeParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only failures with this `reason` in their changes, such as `password`. `provider` and `other`: the refused sign-ins that `GET /admin/stats/summary` counts as these. */
                reason?: string;
                /** @description Returns only entries of this request. */
                requestId?: string;
                systemId?: string;
                /** @description Returns only entries with this target. */
                targetId?: string;
                /** @description Returns only entries with a target of this type. */
                targetType?: string;
                /** @description Returns only entries before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit entries. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "48c2e6a0-1bf5-4d39-a074-2f1d6f8c0b45",
                     *           "time": "2026-03-02T09:30:00.000Z",
                     *           "action": "membership.blocked",
                     *           "outcome": "success",
                     *           "actor": {
                     *             "type": "user",
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "ip": "203.0.113.7",
                     *             "userAgent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
                     *             "via": null
                     *           },
                     *           "target": {
                     *             "type": "membership",
                     *             "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86"
                     *           },
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "changes": {
                     *             "status": [
                     *               "active",
                     *               "blocked"
                     *             ]
                     *           },
                     *           "requestId": "5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
        };
    };
    readAuditCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest checkpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "number": 4711,
                     *       "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "closedAt": "2026-03-02T09:30:00.000Z",
                     *       "checkpoint": "eyJhbGciOiJFZERTQSJ9.eyJudW1iZXIiOjQ3MTF9.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditCheckpoint"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A cursor or the id of an event: returns the events after it. Or a date and time: returns the events from then on. */
                after?: string;
                /** @description The greatest number of events in the response. */
                limit?: number;
                /** @description Returns only events of this system. */
                systemId?: string;
                /** @description Returns only events of this type. Repeat it for several types. */
                type?: components["schemas"]["EventType"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, and the cursor from which to continue. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *           "type": "user.access_revoked",
                     *           "timestamp": "2026-03-02T09:30:00.000Z",
                     *           "data": {
                     *             "user": {
                     *               "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *               "email": "ana@acme.example"
                     *             },
                     *             "membershipId": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *             "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *             "roles": [
                     *               "Accountant"
                     *             ],
                     *             "isAdmin": false,
                     *             "status": "removed",
                     *             "actor": {
                     *               "type": "user",
                     *               "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "next": "c1k9",
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    explainSignIn: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description `mfa`: the application requests a second factor (`acr_values`). */
                acr?: "mfa";
                /** @description Stored and returned in NFC, with ASCII letters in lower case and the domain as A-labels without a trailing dot. A domain with characters that IDNA maps to others is refused. */
                email?: string;
                /** @description The `redirect_uri` that the application sends. */
                redirectUri?: string;
                /** @description The id of a request, as an error page shows it: user, system and account are read from the audit log. */
                requestId?: string;
                /** @description The scopes that the application requests. Default: all that the system allows. */
                scope?: string;
                systemId?: string;
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps, in the order of a sign-in. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "refused",
                     *       "code": "membership_pending",
                     *       "at": "2026-03-02T09:30:00.000Z",
                     *       "complete": true,
                     *       "steps": [
                     *         {
                     *           "step": "client",
                     *           "verdict": "passed",
                     *           "code": "registered"
                     *         },
                     *         {
                     *           "step": "user",
                     *           "verdict": "passed",
                     *           "code": "enabled",
                     *           "facts": {
                     *             "createdAt": "2026-03-02T09:30:00.000Z"
                     *           }
                     *         },
                     *         {
                     *           "step": "membership",
                     *           "verdict": "refused",
                     *           "code": "pending",
                     *           "facts": {
                     *             "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "membershipId": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *             "since": "2026-03-02T09:30:00.000Z",
                     *             "by": "requireAdminActivation"
                     *           },
                     *           "fix": {
                     *             "operation": "PATCH /admin/memberships/e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *             "body": {
                     *               "status": "active"
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "step": "token",
                     *           "verdict": "unreached",
                     *           "code": null
                     *         }
                     *       ],
                     *       "request": null,
                     *       "attempts": [
                     *         {
                     *           "time": "2026-03-02T09:30:00.000Z",
                     *           "action": "sign_in.refused",
                     *           "outcome": "failure",
                     *           "reason": "pending",
                     *           "ip": "203.0.113.7",
                     *           "requestId": "5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11"
                     *         }
                     *       ],
                     *       "token": null
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    getInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the installation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.1.0",
                     *       "baseUrl": "https://id.example.com",
                     *       "startedAt": "2026-03-02T09:30:00.000Z",
                     *       "health": {
                     *         "database": "ok"
                     *       },
                     *       "database": {
                     *         "kind": "postgresql",
                     *         "bytes": 8192000,
                     *         "tables": [
                     *           {
                     *             "name": "users",
                     *             "bytes": 4096000,
                     *             "rows": 12000
                     *           }
                     *         ]
                     *       },
                     *       "processes": [
                     *         {
                     *           "version": "0.1.0",
                     *           "startedAt": "2026-03-02T09:30:00.000Z",
                     *           "seenAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "migrations": [],
                     *       "mail": {
                     *         "transport": "smtp",
                     *         "host": "smtp.example.com",
                     *         "pending": 0,
                     *         "failed": 0,
                     *         "oldestPendingAt": null
                     *       },
                     *       "identityProviders": [
                     *         "google"
                     *       ],
                     *       "settings": [
                     *         {
                     *           "name": "TTL_ACCESS_TOKEN",
                     *           "value": "600",
                     *           "isDefault": true,
                     *           "secret": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Installation"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                systemId?: string;
                /** @description If true, returns only jobs that are not finished. */
                unfinished?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "7e3b5d91-c0a8-4f26-9b4e-8d1c6a2f0e57",
                     *           "kind": "end_sessions",
                     *           "status": "running",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "target": {
                     *             "type": "system",
                     *             "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35"
                     *           },
                     *           "done": 12000,
                     *           "total": 49000,
                     *           "error": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "startedAt": "2026-03-02T09:30:00.000Z",
                     *           "finishedAt": null
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the job.
                 * @example 7e3b5d91-c0a8-4f26-9b4e-8d1c6a2f0e57
                 */
                jobId: components["parameters"]["JobIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7e3b5d91-c0a8-4f26-9b4e-8d1c6a2f0e57",
                     *       "kind": "end_sessions",
                     *       "status": "running",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "target": {
                     *         "type": "system",
                     *         "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35"
                     *       },
                     *       "done": 12000,
                     *       "total": 49000,
                     *       "error": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "startedAt": "2026-03-02T09:30:00.000Z",
                     *       "finishedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signing keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kid": "q1mzXW8Q0cXJmI4VfI9b3yqcT1m0sF9cUj3v6yqvKp0",
                     *           "alg": "ES256",
                     *           "state": "active",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "activeFrom": "2026-03-02T09:30:00.000Z",
                     *           "retiredFrom": null,
                     *           "removeFrom": null
                     *         }
                     *       ],
                     *       "nextRotationAt": "2026-05-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
        };
    };
    rotateKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ids of the new keys. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kids": [
                     *         "q1mzXW8Q0cXJmI4VfI9b3yqcT1m0sF9cUj3v6yqvKp0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedKeys"];
                };
            };
        };
    };
    listLimits: {
        parameters: {
            query?: {
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "email": "ana@example.com",
                     *           "credential": "password",
                     *           "from": "network",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "attempts": 7,
                     *           "until": "2026-03-02T09:30:16.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserLimits"];
                };
            };
        };
    };
    clearLimits: {
        parameters: {
            query: {
                userId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits were cleared. */
            204: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listMail: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description Returns only emails of this kind. */
                kind?: string;
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description The status of an email. `failed`: it was refused, or has expired. */
                status?: components["parameters"]["MailStatusParameter"];
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of emails. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975",
                     *           "kind": "password_reset",
                     *           "recipient": "a***@acme.example",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "status": "pending",
                     *           "attempts": 2,
                     *           "lastError": "EENVELOPE 451 4.7.1 at RCPT TO",
                     *           "problem": "recipient",
                     *           "nextAttemptAt": "2026-03-02T09:45:00.000Z",
                     *           "expiresAt": "2026-03-02T09:45:00.000Z",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "sentAt": null
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedEmailList"];
                };
            };
        };
    };
    getMail: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the email.
                 * @example 8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975
                 */
                emailId: components["parameters"]["EmailIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975",
                     *       "kind": "password_reset",
                     *       "recipient": "a***@acme.example",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "status": "pending",
                     *       "attempts": 2,
                     *       "lastError": "EENVELOPE 451 4.7.1 at RCPT TO",
                     *       "problem": "recipient",
                     *       "nextAttemptAt": "2026-03-02T09:45:00.000Z",
                     *       "expiresAt": "2026-03-02T09:45:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "sentAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedEmail"];
                };
            };
        };
    };
    sendTestEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@acme.example"
                 *     }
                 */
                "application/json": components["schemas"]["SendTestEmail"];
            };
        };
        responses: {
            /** @description The queued email. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975",
                     *       "kind": "test",
                     *       "recipient": "a***@acme.example",
                     *       "userId": null,
                     *       "status": "pending",
                     *       "attempts": 0,
                     *       "lastError": null,
                     *       "problem": null,
                     *       "nextAttemptAt": "2026-03-02T09:45:00.000Z",
                     *       "expiresAt": "2026-03-02T09:45:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "sentAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedEmail"];
                };
            };
        };
    };
    listMemberships: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                profileId?: string;
                /** @description Returns only items whose email address or name, as the caller reads them in the item, contains this text. Case-insensitive. With `search`, both must match. */
                query?: components["parameters"]["UserQueryParameter"];
                roleId?: string;
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
                /** @description `createdAt`: the newest first (default). `updatedAt`: the last changed first. */
                sort?: components["parameters"]["MembershipSortParameter"];
                /** @description The status of a membership. */
                status?: components["parameters"]["MembershipStatusParameter"];
                systemId?: string;
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of memberships. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "status": "active",
                     *           "blockedBy": null,
                     *           "roles": [
                     *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *           ],
                     *           "profiles": [],
                     *           "account": {
                     *             "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "name": "Acme"
                     *           },
                     *           "connection": null,
                     *           "confirmEntry": false,
                     *           "ssoExempt": false,
                     *           "ssoExemptBy": null,
                     *           "user": {
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "email": "ana@acme.example",
                     *             "name": "Ana Souza"
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MembershipList"];
                };
            };
        };
    };
    createMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                 *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                 *       "accountName": "Acme",
                 *       "roles": [
                 *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateMembership"];
            };
        };
        responses: {
            /** @description The membership was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "status": "active",
                     *       "blockedBy": null,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "connection": null,
                     *       "confirmEntry": false,
                     *       "ssoExempt": false,
                     *       "ssoExemptBy": null,
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "name": "Ana Souza"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    getMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "status": "active",
                     *       "blockedBy": null,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "connection": null,
                     *       "confirmEntry": false,
                     *       "ssoExempt": false,
                     *       "ssoExemptBy": null,
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "name": "Ana Souza"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    deleteMembership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "blocked"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMembership"];
            };
        };
        responses: {
            /** @description The membership after the change. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "status": "blocked",
                     *       "blockedBy": "system",
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "connection": null,
                     *       "confirmEntry": false,
                     *       "ssoExempt": false,
                     *       "ssoExemptBy": null,
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "name": "Ana Souza"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    updateMembershipProfiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "profiles": [
                 *         "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMembershipProfiles"];
            };
        };
        responses: {
            /** @description The membership after the change. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "status": "active",
                     *       "blockedBy": null,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [
                     *         "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57"
                     *       ],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "connection": null,
                     *       "confirmEntry": false,
                     *       "ssoExempt": false,
                     *       "ssoExemptBy": null,
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "name": "Ana Souza"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    updateMembershipRoles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the membership.
                 * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
                 */
                membershipId: components["parameters"]["MembershipIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "add": [
                 *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMembershipRoles"];
            };
        };
        responses: {
            /** @description The membership after the change. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "status": "active",
                     *       "blockedBy": null,
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "connection": null,
                     *       "confirmEntry": false,
                     *       "ssoExempt": false,
                     *       "ssoExemptBy": null,
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "name": "Ana Souza"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    getNames: {
        parameters: {
            query: {
                /** @description Up to 200 ids, separated by commas. */
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The names by id. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24": {
                     *         "type": "user",
                     *         "name": "Ana Souza",
                     *         "detail": "ana@acme.example"
                     *       },
                     *       "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68": {
                     *         "type": "account",
                     *         "name": "Acme",
                     *         "detail": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceNames"];
                };
            };
        };
    };
    listOperators: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of operators. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "90b4d8f2-3a6c-4e17-95d8-c1f3a5b7e926",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "email": "ana@example.com",
                     *           "name": "Ana Lima",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "systemName": "Orders",
                     *           "level": "viewer",
                     *           "createdAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OperatorList"];
                };
            };
        };
    };
    createOperator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                 *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                 *       "level": "viewer"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOperator"];
            };
        };
        responses: {
            /** @description The operator was added. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "90b4d8f2-3a6c-4e17-95d8-c1f3a5b7e926",
                     *       "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@example.com",
                     *       "name": "Ana Lima",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "systemName": "Orders",
                     *       "level": "viewer",
                     *       "createdAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    deleteOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the operator.
                 * @example 90b4d8f2-3a6c-4e17-95d8-c1f3a5b7e926
                 */
                operatorId: components["parameters"]["OperatorIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operator was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description An id, or a part of an email address or a name. Returns at most 20 resources. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resources that were found. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "type": "user",
                     *           "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "name": "Ana Souza",
                     *           "detail": "ana@acme.example",
                     *           "systemId": null,
                     *           "href": "/admin/users/b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                systemId?: string;
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "sid": "k4Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsA",
                     *           "jti": "k4Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsA",
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "ip": "203.0.113.7",
                     *           "userAgent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
                     *           "amr": [
                     *             "pwd",
                     *             "otp",
                     *             "mfa"
                     *           ],
                     *           "actor": null,
                     *           "reason": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "lastSeenAt": "2026-03-02T09:30:00.000Z",
                     *           "expiresAt": "2026-03-16T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `sid` of the session, or the `jti` of one of its tokens.
                 * @example k4Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsA
                 */
                jti: components["parameters"]["SessionJtiParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    endSystemSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 128
                     *     }
                     */
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 2
                     *     }
                     */
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
        };
    };
    getSeries: {
        parameters: {
            query: {
                /** @description What distinguishes the series: `system`, or by default the dimension of the metric. */
                by?: components["parameters"]["SeriesByParameter"];
                /** @description The first bucket contains this time. */
                from?: string;
                /** @description What is counted. */
                metric: components["parameters"]["MetricParameter"];
                /** @description The length of a bucket. */
                step?: components["parameters"]["SeriesStepParameter"];
                systemId?: string;
                /** @description The last bucket ends at this time or contains it. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The series. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metric": "failures",
                     *       "step": "hour",
                     *       "times": [
                     *         1772442000,
                     *         1772445600
                     *       ],
                     *       "until": "2026-03-02T11:00:00.000Z",
                     *       "series": [
                     *         {
                     *           "key": "password",
                     *           "values": [
                     *             3,
                     *             0
                     *           ]
                     *         },
                     *         {
                     *           "key": "throttled",
                     *           "values": [
                     *             0,
                     *             1
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    getSummary: {
        parameters: {
            query?: {
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scope": "platform",
                     *       "signIns": {
                     *         "day": 1204,
                     *         "weekBefore": 1180
                     *       },
                     *       "failures": {
                     *         "day": 31,
                     *         "weekBefore": 28
                     *       },
                     *       "tokens": {
                     *         "day": 20411,
                     *         "weekBefore": 19998
                     *       },
                     *       "failuresByReason": [
                     *         {
                     *           "key": "password",
                     *           "count": 29
                     *         }
                     *       ],
                     *       "activeUsers": {
                     *         "today": 402,
                     *         "days30": 2911
                     *       },
                     *       "activeSessions": 640,
                     *       "pendingMemberships": 2,
                     *       "failingWebhooks": 0
                     *     }
                     */
                    "application/json": components["schemas"]["StatsSummary"];
                };
            };
        };
    };
    listSystems: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose name contains this text, case-insensitively, or whose client id starts with it. */
                search?: components["parameters"]["SystemSearchParameter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of systems. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *           "clientType": "confidential",
                     *           "name": "Ledger",
                     *           "redirectUris": [
                     *             "https://ledger.example/callback"
                     *           ],
                     *           "postLogoutRedirectUris": [
                     *             "https://ledger.example/"
                     *           ],
                     *           "allowedScopes": [
                     *             "openid",
                     *             "email",
                     *             "offline_access"
                     *           ],
                     *           "multiAccount": true,
                     *           "allowSelfRegister": true,
                     *           "allowClientCredentials": true,
                     *           "tokenEndpointAuthMethod": "client_secret",
                     *           "jwks": null,
                     *           "jwksUri": null,
                     *           "requireSignedRequestObject": false,
                     *           "requirePkce": true,
                     *           "accessTokenType": "at+jwt",
                     *           "accessTokenAlg": "ES256",
                     *           "securityProfile": null,
                     *           "backchannelLogoutUri": null,
                     *           "invitationUri": null,
                     *           "clientUri": "https://ledger.example/",
                     *           "initiateLoginUri": "https://ledger.example/login",
                     *           "policyUri": "https://ledger.example/privacy",
                     *           "tosUri": "https://ledger.example/terms",
                     *           "supportUri": null,
                     *           "emailFrom": null,
                     *           "emailReplyTo": null,
                     *           "introspectableBy": [],
                     *           "allowedOrigins": [],
                     *           "branding": {
                     *             "color": "#336699"
                     *           },
                     *           "idTokenAlg": "RS256",
                     *           "requireAdminActivation": false,
                     *           "allowDeviceFlow": false,
                     *           "allowActingForMembers": false,
                     *           "allowServiceAccounts": false,
                     *           "requireEmailOtp": false,
                     *           "requireMfa": false,
                     *           "skipConsent": false,
                     *           "accountAdminApi": true,
                     *           "organizationSso": "system",
                     *           "connectionMfa": "reported",
                     *           "addressFirst": false,
                     *           "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *           "platform": false,
                     *           "previousSecretUntil": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SystemList"];
                };
            };
        };
    };
    createSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ledger",
                 *       "redirectUris": [
                 *         "https://ledger.example/callback"
                 *       ],
                 *       "postLogoutRedirectUris": [
                 *         "https://ledger.example/"
                 *       ],
                 *       "allowedScopes": [
                 *         "openid",
                 *         "email",
                 *         "offline_access"
                 *       ],
                 *       "multiAccount": true,
                 *       "allowSelfRegister": true,
                 *       "allowClientCredentials": true,
                 *       "branding": {
                 *         "color": "#336699"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSystem"];
            };
        };
        responses: {
            /** @description The system was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *       "clientType": "confidential",
                     *       "name": "Ledger",
                     *       "redirectUris": [
                     *         "https://ledger.example/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://ledger.example/"
                     *       ],
                     *       "allowedScopes": [
                     *         "openid",
                     *         "email",
                     *         "offline_access"
                     *       ],
                     *       "multiAccount": true,
                     *       "allowSelfRegister": true,
                     *       "allowClientCredentials": true,
                     *       "tokenEndpointAuthMethod": "client_secret",
                     *       "jwks": null,
                     *       "jwksUri": null,
                     *       "requireSignedRequestObject": false,
                     *       "requirePkce": true,
                     *       "accessTokenType": "at+jwt",
                     *       "accessTokenAlg": "ES256",
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "invitationUri": null,
                     *       "clientUri": "https://ledger.example/",
                     *       "initiateLoginUri": "https://ledger.example/login",
                     *       "policyUri": "https://ledger.example/privacy",
                     *       "tosUri": "https://ledger.example/terms",
                     *       "supportUri": null,
                     *       "emailFrom": null,
                     *       "emailReplyTo": null,
                     *       "introspectableBy": [],
                     *       "allowedOrigins": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "allowActingForMembers": false,
                     *       "allowServiceAccounts": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "organizationSso": "system",
                     *       "connectionMfa": "reported",
                     *       "addressFirst": false,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "clientSecret": "kq7Zr3bT9wLm2XcV5nHs8yGd4jFp6aQe1uRo0iEt-Ys"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedSystem"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The system. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *       "clientType": "confidential",
                     *       "name": "Ledger",
                     *       "redirectUris": [
                     *         "https://ledger.example/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://ledger.example/"
                     *       ],
                     *       "allowedScopes": [
                     *         "openid",
                     *         "email",
                     *         "offline_access"
                     *       ],
                     *       "multiAccount": true,
                     *       "allowSelfRegister": true,
                     *       "allowClientCredentials": true,
                     *       "tokenEndpointAuthMethod": "client_secret",
                     *       "jwks": null,
                     *       "jwksUri": null,
                     *       "requireSignedRequestObject": false,
                     *       "requirePkce": true,
                     *       "accessTokenType": "at+jwt",
                     *       "accessTokenAlg": "ES256",
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "invitationUri": null,
                     *       "clientUri": "https://ledger.example/",
                     *       "initiateLoginUri": "https://ledger.example/login",
                     *       "policyUri": "https://ledger.example/privacy",
                     *       "tosUri": "https://ledger.example/terms",
                     *       "supportUri": null,
                     *       "emailFrom": null,
                     *       "emailReplyTo": null,
                     *       "introspectableBy": [],
                     *       "allowedOrigins": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "allowActingForMembers": false,
                     *       "allowServiceAccounts": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "organizationSso": "system",
                     *       "connectionMfa": "reported",
                     *       "addressFirst": false,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["System"];
                };
            };
        };
    };
    deleteSystem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The system was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requireMfa": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSystem"];
            };
        };
        responses: {
            /** @description The system after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *       "clientType": "confidential",
                     *       "name": "Ledger",
                     *       "redirectUris": [
                     *         "https://ledger.example/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://ledger.example/"
                     *       ],
                     *       "allowedScopes": [
                     *         "openid",
                     *         "email",
                     *         "offline_access"
                     *       ],
                     *       "multiAccount": true,
                     *       "allowSelfRegister": true,
                     *       "allowClientCredentials": true,
                     *       "tokenEndpointAuthMethod": "client_secret",
                     *       "jwks": null,
                     *       "jwksUri": null,
                     *       "requireSignedRequestObject": false,
                     *       "requirePkce": true,
                     *       "accessTokenType": "at+jwt",
                     *       "accessTokenAlg": "ES256",
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "invitationUri": null,
                     *       "clientUri": "https://ledger.example/",
                     *       "initiateLoginUri": "https://ledger.example/login",
                     *       "policyUri": "https://ledger.example/privacy",
                     *       "tosUri": "https://ledger.example/terms",
                     *       "supportUri": null,
                     *       "emailFrom": null,
                     *       "emailReplyTo": null,
                     *       "introspectableBy": [],
                     *       "allowedOrigins": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "allowActingForMembers": false,
                     *       "allowServiceAccounts": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": true,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "organizationSso": "system",
                     *       "connectionMfa": "reported",
                     *       "addressFirst": false,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["System"];
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it. */
                externalId?: string;
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose name or, for platform and system, `externalId` contains this text. Case-insensitive. */
                search?: components["parameters"]["NameOrIdSearchParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "name": "Acme",
                     *           "kind": "organization",
                     *           "status": "active",
                     *           "suspendedBy": [],
                     *           "requireMfa": false,
                     *           "requireMfaBy": [],
                     *           "ssoRequired": false,
                     *           "ssoRequiredBy": null,
                     *           "membersVisible": true,
                     *           "acceptOtherAddress": false,
                     *           "ssoSelfService": false,
                     *           "branding": {
                     *             "color": "#336699"
                     *           },
                     *           "metadata": {
                     *             "plan": "gold"
                     *           },
                     *           "externalId": "crm:A-1042",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z",
                     *           "memberCount": 3
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountList"];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "metadata": {
                 *         "plan": "gold"
                 *       },
                 *       "externalId": "crm:A-1042"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAccount"];
            };
        };
        responses: {
            /** @description The account was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Acme",
                     *       "kind": "organization",
                     *       "status": "active",
                     *       "suspendedBy": [],
                     *       "requireMfa": false,
                     *       "requireMfaBy": [],
                     *       "ssoRequired": false,
                     *       "ssoRequiredBy": null,
                     *       "membersVisible": true,
                     *       "acceptOtherAddress": false,
                     *       "ssoSelfService": false,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "metadata": {
                     *         "plan": "gold"
                     *       },
                     *       "externalId": "crm:A-1042",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    putSystemImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `logo-dark` is shown in dark mode instead of the logo.
                 * @example logo
                 */
                image: components["parameters"]["SystemImageParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example The bytes of the image. */
                "image/png": Uint8Array;
            };
        };
        responses: {
            /** @description The system after the upload. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *       "clientType": "confidential",
                     *       "name": "Ledger",
                     *       "redirectUris": [
                     *         "https://ledger.example/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://ledger.example/"
                     *       ],
                     *       "allowedScopes": [
                     *         "openid",
                     *         "email",
                     *         "offline_access"
                     *       ],
                     *       "multiAccount": true,
                     *       "allowSelfRegister": true,
                     *       "allowClientCredentials": true,
                     *       "tokenEndpointAuthMethod": "client_secret",
                     *       "jwks": null,
                     *       "jwksUri": null,
                     *       "requireSignedRequestObject": false,
                     *       "requirePkce": true,
                     *       "accessTokenType": "at+jwt",
                     *       "accessTokenAlg": "ES256",
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "invitationUri": null,
                     *       "clientUri": "https://ledger.example/",
                     *       "initiateLoginUri": "https://ledger.example/login",
                     *       "policyUri": "https://ledger.example/privacy",
                     *       "tosUri": "https://ledger.example/terms",
                     *       "supportUri": null,
                     *       "emailFrom": null,
                     *       "emailReplyTo": null,
                     *       "introspectableBy": [],
                     *       "allowedOrigins": [],
                     *       "branding": {
                     *         "color": "#336699",
                     *         "logoUrl": "https://id.example/brand/8Jm2xV4qTz7LwN1cRk9sYb3pHf6dGa0eUiXo5tQvWyM.png"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "allowActingForMembers": false,
                     *       "allowServiceAccounts": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "organizationSso": "system",
                     *       "connectionMfa": "reported",
                     *       "addressFirst": false,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
                     *       "previousSecretUntil": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["System"];
                };
            };
        };
    };
    deleteSystemImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `logo-dark` is shown in dark mode instead of the logo.
                 * @example logo
                 */
                image: components["parameters"]["SystemImageParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listEmailTexts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All kinds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "kind": "access_approved",
                     *         "authority": "system",
                     *         "names": [
                     *           "application",
                     *           "email",
                     *           "organization"
                     *         ],
                     *         "button": true,
                     *         "locales": [
                     *           "en"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EmailTextKind"][];
                };
            };
        };
    };
    getEmailText: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The kind of the email.
                 * @example access_approved
                 */
                kind: components["parameters"]["EmailKindPathParameter"];
                /**
                 * @description The language of the email.
                 * @example en
                 */
                locale: components["parameters"]["EmailLanguagePathParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The texts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "access_approved",
                     *       "locale": "en",
                     *       "setBy": "system",
                     *       "subject": "Welcome to {{organization}}",
                     *       "heading": "You can start",
                     *       "paragraphs": [
                     *         "{{organization}} has approved you."
                     *       ],
                     *       "button": "Open Ledger",
                     *       "footer": null,
                     *       "preview": {
                     *         "subject": "Welcome to Northsea Shipping",
                     *         "heading": "You can start",
                     *         "blocks": [
                     *           {
                     *             "text": "Northsea Shipping has approved you."
                     *           },
                     *           {
                     *             "button": "Open Ledger"
                     *           }
                     *         ],
                     *         "text": "You can start\n\nNorthsea Shipping has approved you.\n\nOpen Ledger\nhttps://id.example/account\n"
                     *       },
                     *       "standard": {
                     *         "subject": "Your access to Ledger was approved",
                     *         "heading": "Your access to Ledger was approved",
                     *         "blocks": [
                     *           {
                     *             "text": "An administrator approved your membership."
                     *           },
                     *           {
                     *             "button": "Continue to Ledger"
                     *           }
                     *         ],
                     *         "text": "Your access to Ledger was approved\n\nAn administrator approved your membership.\n\nContinue to Ledger\nhttps://id.example/account\n"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailText"];
                };
            };
        };
    };
    putEmailText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind of the email.
                 * @example access_approved
                 */
                kind: components["parameters"]["EmailKindPathParameter"];
                /**
                 * @description The language of the email.
                 * @example en
                 */
                locale: components["parameters"]["EmailLanguagePathParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": "Welcome to {{organization}}",
                 *       "heading": "You can start",
                 *       "paragraphs": [
                 *         "{{organization}} has approved you."
                 *       ],
                 *       "button": "Open Ledger",
                 *       "footer": null
                 *     }
                 */
                "application/json": components["schemas"]["EmailTexts"];
            };
        };
        responses: {
            /** @description The texts after the change. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "access_approved",
                     *       "locale": "en",
                     *       "setBy": "system",
                     *       "subject": "Welcome to {{organization}}",
                     *       "heading": "You can start",
                     *       "paragraphs": [
                     *         "{{organization}} has approved you."
                     *       ],
                     *       "button": "Open Ledger",
                     *       "footer": null,
                     *       "preview": {
                     *         "subject": "Welcome to Northsea Shipping",
                     *         "heading": "You can start",
                     *         "blocks": [
                     *           {
                     *             "text": "Northsea Shipping has approved you."
                     *           },
                     *           {
                     *             "button": "Open Ledger"
                     *           }
                     *         ],
                     *         "text": "You can start\n\nNorthsea Shipping has approved you.\n\nOpen Ledger\nhttps://id.example/account\n"
                     *       },
                     *       "standard": {
                     *         "subject": "Your access to Ledger was approved",
                     *         "heading": "Your access to Ledger was approved",
                     *         "blocks": [
                     *           {
                     *             "text": "An administrator approved your membership."
                     *           },
                     *           {
                     *             "button": "Continue to Ledger"
                     *           }
                     *         ],
                     *         "text": "Your access to Ledger was approved\n\nAn administrator approved your membership.\n\nContinue to Ledger\nhttps://id.example/account\n"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailText"];
                };
            };
        };
    };
    deleteEmailText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The kind of the email.
                 * @example access_approved
                 */
                kind: components["parameters"]["EmailKindPathParameter"];
                /**
                 * @description The language of the email.
                 * @example en
                 */
                locale: components["parameters"]["EmailLanguagePathParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email has the texts of the server. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    previewEmailText: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The kind of the email.
                 * @example access_approved
                 */
                kind: components["parameters"]["EmailKindPathParameter"];
                /**
                 * @description The language of the email.
                 * @example en
                 */
                locale: components["parameters"]["EmailLanguagePathParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": "Welcome to {{organization}}",
                 *       "heading": "You can start",
                 *       "paragraphs": [
                 *         "{{organization}} has approved you."
                 *       ],
                 *       "button": "Open Ledger",
                 *       "footer": null
                 *     }
                 */
                "application/json": components["schemas"]["EmailTexts"];
            };
        };
        responses: {
            /** @description The email. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "Welcome to Northsea Shipping",
                     *       "heading": "You can start",
                     *       "blocks": [
                     *         {
                     *           "text": "Northsea Shipping has approved you."
                     *         },
                     *         {
                     *           "button": "Open Ledger"
                     *         }
                     *       ],
                     *       "text": "You can start\n\nNorthsea Shipping has approved you.\n\nOpen Ledger\nhttps://id.example/account\n"
                     *     }
                     */
                    "application/json": components["schemas"]["EmailPreview"];
                };
            };
        };
    };
    testEmailText: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The kind of the email.
                 * @example access_approved
                 */
                kind: components["parameters"]["EmailKindPathParameter"];
                /**
                 * @description The language of the email.
                 * @example en
                 */
                locale: components["parameters"]["EmailLanguagePathParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email was queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ana@acme.example"
                     *     }
                     */
                    "application/json": components["schemas"]["TestedEmailText"];
                };
            };
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose name contains this text. Case-insensitive. */
                search?: components["parameters"]["NameSearchParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "name": "Cardiologist",
                     *           "description": "Doctors of the heart clinic",
                     *           "attributes": {
                     *             "department": "cardiology",
                     *             "grade": 3
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProfileList"];
                };
            };
        };
    };
    createProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cardiologist",
                 *       "description": "Doctors of the heart clinic",
                 *       "attributes": {
                 *         "department": "cardiology",
                 *         "grade": 3
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateProfile"];
            };
        };
        responses: {
            /** @description The profile was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Cardiologist",
                     *       "description": "Doctors of the heart clinic",
                     *       "attributes": {
                     *         "department": "cardiology",
                     *         "grade": 3
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the profile.
                 * @example c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57
                 */
                profileId: components["parameters"]["ProfileIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Cardiologist",
                     *       "description": "Doctors of the heart clinic",
                     *       "attributes": {
                     *         "department": "cardiology",
                     *         "grade": 3
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    deleteProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the profile.
                 * @example c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57
                 */
                profileId: components["parameters"]["ProfileIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the profile.
                 * @example c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57
                 */
                profileId: components["parameters"]["ProfileIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "attributes": {
                 *         "department": "cardiology",
                 *         "grade": 4
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProfile"];
            };
        };
        responses: {
            /** @description The profile after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Cardiologist",
                     *       "description": "Doctors of the heart clinic",
                     *       "attributes": {
                     *         "department": "cardiology",
                     *         "grade": 4
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles of the system. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *         "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *         "name": "Accountant",
                     *         "isAdmin": false,
                     *         "assignableByAccountAdmins": true,
                     *         "canActForMembers": false,
                     *         "scopes": [
                     *           "invoices:read",
                     *           "invoices:write"
                     *         ],
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Role"][];
                };
            };
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Accountant",
                 *       "isAdmin": false,
                 *       "scopes": [
                 *         "invoices:read",
                 *         "invoices:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateRole"];
            };
        };
        responses: {
            /** @description The role was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Accountant",
                     *       "isAdmin": false,
                     *       "assignableByAccountAdmins": true,
                     *       "canActForMembers": false,
                     *       "scopes": [
                     *         "invoices:read",
                     *         "invoices:write"
                     *       ],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the role.
                 * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
                 */
                roleId: components["parameters"]["RoleIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Accountant",
                     *       "isAdmin": false,
                     *       "assignableByAccountAdmins": true,
                     *       "canActForMembers": false,
                     *       "scopes": [
                     *         "invoices:read",
                     *         "invoices:write"
                     *       ],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    deleteRole: {
        parameters: {
            query?: {
                /** @description Whether to delete the role although no admin role remains. Default false. */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the role.
                 * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
                 */
                roleId: components["parameters"]["RoleIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role was deleted. */
            204: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the role.
                 * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
                 */
                roleId: components["parameters"]["RoleIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "invoices:read",
                 *         "invoices:write",
                 *         "invoices:approve"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateRole"];
            };
        };
        responses: {
            /** @description The role after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Accountant",
                     *       "isAdmin": false,
                     *       "assignableByAccountAdmins": true,
                     *       "canActForMembers": false,
                     *       "scopes": [
                     *         "invoices:read",
                     *         "invoices:write",
                     *         "invoices:approve"
                     *       ],
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    rotateSystemSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateSystemSecret"];
            };
        };
        responses: {
            /** @description The secret was replaced. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientId": "sys_8Jt2mQvX4rLw9ZbN",
                     *       "clientSecret": "kq7Zr3bT9wLm2XcV5nHs8yGd4jFp6aQe1uRo0iEt-Ys"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedSystemSecret"];
                };
            };
        };
    };
    createTestSignIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scope": "openid email",
                 *       "acr": "mfa",
                 *       "forUserId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24"
                 *     }
                 */
                "application/json": components["schemas"]["CreateTestSignIn"];
            };
        };
        responses: {
            /** @description The test was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6b8d0f27-c1e4-4a59-8d36-f2a4c6e80b13",
                     *       "url": "https://id.example.com/auth?client_id=orders&response_type=code&redirect_uri=https%3A%2F%2Forders.example%2Fcallback&scope=openid+email&test=Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsAk4",
                     *       "expiresAt": "2026-03-02T09:40:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedTestSignIn"];
                };
            };
        };
    };
    getTestSignIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the testSignIn.
                 * @example 6b8d0f27-c1e4-4a59-8d36-f2a4c6e80b13
                 */
                testSignInId: components["parameters"]["TestSignInIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6b8d0f27-c1e4-4a59-8d36-f2a4c6e80b13",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "status": "shared",
                     *       "accountId": null,
                     *       "prompt": null,
                     *       "scope": "openid email",
                     *       "acr": "mfa",
                     *       "forUserId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "expiresAt": "2026-03-02T09:40:00.000Z",
                     *       "sharedAt": "2026-03-02T09:33:00.000Z",
                     *       "result": {
                     *         "steps": [
                     *           {
                     *             "step": "credential",
                     *             "verdict": "passed",
                     *             "code": "password"
                     *           },
                     *           {
                     *             "step": "factor",
                     *             "verdict": "passed",
                     *             "code": "verify"
                     *           },
                     *           {
                     *             "step": "membership",
                     *             "verdict": "passed",
                     *             "code": "active"
                     *           },
                     *           {
                     *             "step": "consent",
                     *             "verdict": "asked",
                     *             "code": "scopes"
                     *           }
                     *         ],
                     *         "claims": {
                     *           "sub": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "client_id": "orders",
                     *           "scope": "openid email",
                     *           "account_id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "membership_id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *           "roles": [
                     *             "clerk"
                     *           ],
                     *           "is_admin": false,
                     *           "permissions": [
                     *             "orders:read"
                     *           ],
                     *           "acr": "urn:tenantry:aal2",
                     *           "amr": [
                     *             "pwd",
                     *             "otp",
                     *             "mfa"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TestSignIn"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "url": "https://ledger.example/hooks/tenantry",
                     *           "events": [
                     *             "user.access_revoked",
                     *             "session.ended"
                     *           ],
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://ledger.example/hooks/tenantry",
                 *       "events": [
                 *         "user.access_revoked",
                 *         "session.ended"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The webhook was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "url": "https://ledger.example/hooks/tenantry",
                     *       "events": [
                     *         "user.access_revoked",
                     *         "session.ended"
                     *       ],
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ4mX1bTz7Yk="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "url": "https://ledger.example/hooks/tenantry",
                     *       "events": [
                     *         "user.access_revoked",
                     *         "session.ended"
                     *       ],
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description The webhook after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "url": "https://ledger.example/hooks/tenantry",
                     *       "events": [
                     *         "user.access_revoked",
                     *         "session.ended"
                     *       ],
                     *       "enabled": false,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description Returns only the delivery of this event. */
                eventId?: string;
                /** @description Returns only deliveries of events of this time and later. */
                from?: string;
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description The status of a delivery. `superseded`: it is not sent, because a later event has ended the access. */
                status?: components["parameters"]["DeliveryStatusParameter"];
                /** @description Returns only deliveries of events before this time. */
                to?: string;
                /** @description Returns only deliveries of events of this type. */
                type?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12",
                     *           "eventId": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *           "type": "user.access_revoked",
                     *           "timestamp": "2026-03-02T09:30:00.000Z",
                     *           "status": "delivered",
                     *           "nextAttemptAt": null,
                     *           "finishedAt": "2026-03-02T09:30:01.204Z",
                     *           "attempts": [
                     *             {
                     *               "time": "2026-03-02T09:30:01.000Z",
                     *               "durationMs": 204,
                     *               "status": 204,
                     *               "error": null
                     *             }
                     *           ],
                     *           "payload": {
                     *             "id": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *             "type": "user.access_revoked",
                     *             "timestamp": "2026-03-02T09:30:00.000Z",
                     *             "data": {
                     *               "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *               "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *               "membershipId": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the delivery.
                 * @example 1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12
                 */
                deliveryId: components["parameters"]["DeliveryIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12",
                     *       "eventId": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *       "type": "user.access_revoked",
                     *       "timestamp": "2026-03-02T09:30:00.000Z",
                     *       "status": "delivered",
                     *       "nextAttemptAt": null,
                     *       "finishedAt": "2026-03-02T09:30:01.204Z",
                     *       "attempts": [
                     *         {
                     *           "time": "2026-03-02T09:30:01.000Z",
                     *           "durationMs": 204,
                     *           "status": 204,
                     *           "error": null
                     *         }
                     *       ],
                     *       "payload": {
                     *         "id": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *         "type": "user.access_revoked",
                     *         "timestamp": "2026-03-02T09:30:00.000Z",
                     *         "data": {
                     *           "userId": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "accountId": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *           "membershipId": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the delivery.
                 * @example 1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12
                 */
                deliveryId: components["parameters"]["DeliveryIdParameter"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. The delivery is queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queued": 1
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedDelivery"];
                };
            };
        };
    };
    resendEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": "2026-03-02T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ResendEvents"];
            };
        };
        responses: {
            /** @description Accepted. The deliveries are queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queued": 42,
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedDeliveries"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description The secret was replaced. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ4mX1bTz7Yk="
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemIdParameter"];
                /**
                 * @description The id of the webhook.
                 * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
                 */
                webhookId: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. The test event is queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventId": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Returns only users created at this time or later. */
                createdAfter?: string;
                /** @description Returns only users created before this time. */
                createdBefore?: string;
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description Returns only users whose `disabled` has this value. */
                disabled?: boolean;
                /** @description Returns only the user with this email address, which is converted to its stored form. */
                email?: string;
                /** @description Returns only users whose `emailVerified` has this value. */
                emailVerified?: boolean;
                /** @description Returns only users whose `hasPassword` has this value. With platform authority only. */
                hasPassword?: boolean;
                /** @description Returns only users with one of these up to 100 ids, which are separated by commas. */
                ids?: string;
                /** @description Returns only users who have signed in at this time or later. With platform authority only. */
                lastLoginAfter?: string;
                /** @description Returns only users who have not signed in at this time or later, also those who never have. With platform authority only. */
                lastLoginBefore?: string;
                /** @description Returns only users whose `mfaEnabled` has this value. With platform authority only. */
                mfa?: boolean;
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose email address or name, as the caller reads them in the item, contains this text. Case-insensitive. With `search`, both must match. */
                query?: components["parameters"]["UserQueryParameter"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
                /** @description `createdAt`: the newest first (default). `lastLoginAt`: the latest sign-in first, users who have never signed in last. With platform authority only. */
                sort?: components["parameters"]["UserSortParameter"];
                /** @description Returns only users of this system. */
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *           "email": "ana@acme.example",
                     *           "emailVerified": true,
                     *           "name": "Ana Souza",
                     *           "givenName": "Ana",
                     *           "familyName": "Souza",
                     *           "middleName": null,
                     *           "nickname": "Aninha",
                     *           "preferredUsername": null,
                     *           "profile": null,
                     *           "picture": "https://acme.example/people/ana.jpg",
                     *           "website": null,
                     *           "gender": null,
                     *           "birthdate": "1988-04-17",
                     *           "zoneinfo": "America/Sao_Paulo",
                     *           "locale": "pt-BR",
                     *           "phoneNumber": "+5511987654321",
                     *           "phoneNumberVerified": false,
                     *           "address": {
                     *             "locality": "São Paulo",
                     *             "country": "Brazil"
                     *           },
                     *           "metadata": {
                     *             "crmId": "A-1042"
                     *           },
                     *           "disabled": false,
                     *           "hasPassword": true,
                     *           "mustChangePassword": false,
                     *           "mfaEnabled": false,
                     *           "identities": [
                     *             {
                     *               "provider": "google",
                     *               "subject": "110169484474386276334",
                     *               "email": "ana@gmail.com"
                     *             }
                     *           ],
                     *           "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["UserList"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@acme.example",
                 *       "emailVerified": true,
                 *       "name": "Ana Souza",
                 *       "locale": "pt-BR"
                 *     }
                 */
                "application/json": components["schemas"]["CreateUser"];
            };
        };
        responses: {
            /** @description The user was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@acme.example",
                     *       "emailVerified": true,
                     *       "name": "Ana Souza",
                     *       "givenName": "Ana",
                     *       "familyName": "Souza",
                     *       "middleName": null,
                     *       "nickname": "Aninha",
                     *       "preferredUsername": null,
                     *       "profile": null,
                     *       "picture": "https://acme.example/people/ana.jpg",
                     *       "website": null,
                     *       "gender": null,
                     *       "birthdate": "1988-04-17",
                     *       "zoneinfo": "America/Sao_Paulo",
                     *       "locale": "pt-BR",
                     *       "phoneNumber": "+5511987654321",
                     *       "phoneNumberVerified": false,
                     *       "address": {
                     *         "locality": "São Paulo",
                     *         "country": "Brazil"
                     *       },
                     *       "metadata": {
                     *         "crmId": "A-1042"
                     *       },
                     *       "disabled": false,
                     *       "hasPassword": false,
                     *       "mustChangePassword": false,
                     *       "mfaEnabled": false,
                     *       "identities": [],
                     *       "lastLoginAt": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@acme.example",
                     *       "emailVerified": true,
                     *       "name": "Ana Souza",
                     *       "givenName": "Ana",
                     *       "familyName": "Souza",
                     *       "middleName": null,
                     *       "nickname": "Aninha",
                     *       "preferredUsername": null,
                     *       "profile": null,
                     *       "picture": "https://acme.example/people/ana.jpg",
                     *       "website": null,
                     *       "gender": null,
                     *       "birthdate": "1988-04-17",
                     *       "zoneinfo": "America/Sao_Paulo",
                     *       "locale": "pt-BR",
                     *       "phoneNumber": "+5511987654321",
                     *       "phoneNumberVerified": false,
                     *       "address": {
                     *         "locality": "São Paulo",
                     *         "country": "Brazil"
                     *       },
                     *       "metadata": {
                     *         "crmId": "A-1042"
                     *       },
                     *       "disabled": false,
                     *       "hasPassword": true,
                     *       "mustChangePassword": false,
                     *       "mfaEnabled": false,
                     *       "identities": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "110169484474386276334",
                     *           "email": "ana@gmail.com"
                     *         }
                     *       ],
                     *       "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them, as it was received: marks of a proxy that compresses, such as `W/` and `-gzip`, are ignored. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatchParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ana Souza Lima",
                 *       "metadata": {
                 *         "crmId": "A-1042",
                 *         "tier": "gold"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description The user after the update. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@acme.example",
                     *       "emailVerified": true,
                     *       "name": "Ana Souza Lima",
                     *       "givenName": "Ana",
                     *       "familyName": "Souza",
                     *       "middleName": null,
                     *       "nickname": "Aninha",
                     *       "preferredUsername": null,
                     *       "profile": null,
                     *       "picture": "https://acme.example/people/ana.jpg",
                     *       "website": null,
                     *       "gender": null,
                     *       "birthdate": "1988-04-17",
                     *       "zoneinfo": "America/Sao_Paulo",
                     *       "locale": "pt-BR",
                     *       "phoneNumber": "+5511987654321",
                     *       "phoneNumberVerified": false,
                     *       "address": {
                     *         "locality": "São Paulo",
                     *         "country": "Brazil"
                     *       },
                     *       "metadata": {
                     *         "crmId": "A-1042",
                     *         "tier": "gold"
                     *       },
                     *       "disabled": false,
                     *       "hasPassword": true,
                     *       "mustChangePassword": false,
                     *       "mfaEnabled": false,
                     *       "identities": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "110169484474386276334",
                     *           "email": "ana@gmail.com"
                     *         }
                     *       ],
                     *       "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    disableUserMfa: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, without second factors. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@acme.example",
                     *       "emailVerified": true,
                     *       "name": "Ana Souza",
                     *       "givenName": "Ana",
                     *       "familyName": "Souza",
                     *       "middleName": null,
                     *       "nickname": "Aninha",
                     *       "preferredUsername": null,
                     *       "profile": null,
                     *       "picture": "https://acme.example/people/ana.jpg",
                     *       "website": null,
                     *       "gender": null,
                     *       "birthdate": "1988-04-17",
                     *       "zoneinfo": "America/Sao_Paulo",
                     *       "locale": "pt-BR",
                     *       "phoneNumber": "+5511987654321",
                     *       "phoneNumberVerified": false,
                     *       "address": {
                     *         "locality": "São Paulo",
                     *         "country": "Brazil"
                     *       },
                     *       "metadata": {
                     *         "crmId": "A-1042"
                     *       },
                     *       "disabled": false,
                     *       "hasPassword": true,
                     *       "mustChangePassword": false,
                     *       "mfaEnabled": false,
                     *       "identities": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "110169484474386276334",
                     *           "email": "ana@gmail.com"
                     *         }
                     *       ],
                     *       "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exportedAt": "2026-03-02T09:30:00.000Z",
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example",
                     *         "emailVerified": true,
                     *         "name": "Ana Souza",
                     *         "givenName": "Ana",
                     *         "familyName": "Souza",
                     *         "middleName": null,
                     *         "nickname": "Aninha",
                     *         "preferredUsername": null,
                     *         "profile": null,
                     *         "picture": "https://acme.example/people/ana.jpg",
                     *         "website": null,
                     *         "gender": null,
                     *         "birthdate": "1988-04-17",
                     *         "zoneinfo": "America/Sao_Paulo",
                     *         "locale": "pt-BR",
                     *         "phoneNumber": "+5511987654321",
                     *         "phoneNumberVerified": false,
                     *         "address": {
                     *           "locality": "São Paulo",
                     *           "country": "Brazil"
                     *         },
                     *         "metadata": {
                     *           "crmId": "A-1042"
                     *         },
                     *         "disabled": false,
                     *         "hasPassword": true,
                     *         "mustChangePassword": false,
                     *         "mfaEnabled": false,
                     *         "identities": [
                     *           {
                     *             "provider": "google",
                     *             "subject": "110169484474386276334",
                     *             "email": "ana@gmail.com"
                     *           }
                     *         ],
                     *         "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z"
                     *       },
                     *       "identities": [],
                     *       "statedAddresses": [],
                     *       "factors": {
                     *         "authenticators": [],
                     *         "passkeys": [],
                     *         "recoveryCodes": {
                     *           "left": 0,
                     *           "used": 0
                     *         }
                     *       },
                     *       "memberships": [
                     *         {
                     *           "id": "e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86",
                     *           "status": "active",
                     *           "system": {
                     *             "id": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *             "name": "Ledger"
                     *           },
                     *           "account": {
                     *             "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "name": "Acme",
                     *             "kind": "organization"
                     *           },
                     *           "roles": [
                     *             "Accountant"
                     *           ],
                     *           "profiles": [],
                     *           "stated": {},
                     *           "statedEmail": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "connectionLinks": [],
                     *       "blocks": [],
                     *       "operators": [],
                     *       "personalAccounts": [],
                     *       "sessions": [],
                     *       "activity": [
                     *         {
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "days": [
                     *             "2026-03-02"
                     *           ]
                     *         }
                     *       ],
                     *       "consents": [],
                     *       "audit": [],
                     *       "mails": [],
                     *       "links": []
                     *     }
                     */
                    "application/json": components["schemas"]["UserExport"];
                };
            };
        };
    };
    listUserFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The second factors of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "e2a4c6f8-1b3d-4750-92e6-a8c0d2f4b617",
                     *           "kind": "passkey",
                     *           "name": "Laptop",
                     *           "systemId": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "lastUsedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactors"];
                };
            };
        };
    };
    deleteUserFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the factor.
                 * @example e2a4c6f8-1b3d-4750-92e6-a8c0d2f4b617
                 */
                factorId: components["parameters"]["FactorIdParameter"];
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The factor was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. The email is queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expiresAt": "2026-03-03T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SentLink"];
                };
            };
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The temporary password. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "temporaryPassword": "k7m2pqx-9htb4na-w3cdyf8"
                     *     }
                     */
                    "application/json": components["schemas"]["TemporaryPassword"];
                };
            };
        };
    };
    sendPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. The email is queued. */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "expiresAt": "2026-03-02T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SentLink"];
                };
            };
        };
    };
    setUserPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyParameter"];
            };
            path: {
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple",
                 *       "mustChangePassword": true
                 *     }
                 */
                "application/json": components["schemas"]["SetPassword"];
            };
        };
        responses: {
            /** @description The user, with the new password set. */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *       "email": "ana@acme.example",
                     *       "emailVerified": true,
                     *       "name": "Ana Souza",
                     *       "givenName": "Ana",
                     *       "familyName": "Souza",
                     *       "middleName": null,
                     *       "nickname": "Aninha",
                     *       "preferredUsername": null,
                     *       "profile": null,
                     *       "picture": "https://acme.example/people/ana.jpg",
                     *       "website": null,
                     *       "gender": null,
                     *       "birthdate": "1988-04-17",
                     *       "zoneinfo": "America/Sao_Paulo",
                     *       "locale": "pt-BR",
                     *       "phoneNumber": "+5511987654321",
                     *       "phoneNumberVerified": false,
                     *       "address": {
                     *         "locality": "São Paulo",
                     *         "country": "Brazil"
                     *       },
                     *       "metadata": {
                     *         "crmId": "A-1042"
                     *       },
                     *       "disabled": false,
                     *       "hasPassword": true,
                     *       "mustChangePassword": true,
                     *       "mfaEnabled": false,
                     *       "identities": [
                     *         {
                     *           "provider": "google",
                     *           "subject": "110169484474386276334",
                     *           "email": "ana@gmail.com"
                     *         }
                     *       ],
                     *       "lastLoginAt": "2026-03-02T09:30:00.000Z",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    unlinkUserIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the identity provider, such as `google`.
                 * @example google
                 */
                provider: string;
                /**
                 * @description The id of the user.
                 * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
                 */
                userId: components["parameters"]["UserIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAllWebhooks: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, with the same filters and the same `order`. Returns the items after those of that page, however many have been added or deleted meanwhile. */
                cursor?: components["parameters"]["CursorParameter"];
                /** @description `createdAt`: the oldest item first. Without it the list is in its own order, mostly the newest item first. */
                order?: components["parameters"]["OrderParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description `failing`: the last attempt failed. `paused`: the endpoint has asked to wait. `disabled`: nothing is sent. */
                state?: components["parameters"]["WebhookStateParameter"];
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39",
                     *           "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *           "url": "https://ledger.example/hooks/tenantry",
                     *           "events": [
                     *             "user.access_revoked",
                     *             "session.ended"
                     *           ],
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z",
                     *           "state": "ok",
                     *           "failingSince": null,
                     *           "pausedUntil": null,
                     *           "deliveries": {
                     *             "delivered": 1204,
                     *             "failed": 0,
                     *             "pending": 0,
                     *             "countedMax": 10000,
                     *             "oldestPendingAt": null
                     *           }
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookStateList"];
                };
            };
        };
    };
    sampleWebhookRequest: {
        parameters: {
            query: {
                /** @description The type of an event. */
                type: components["parameters"]["EventTypeParameter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed request. */
            200: {
                headers: {
                    "Ignored-Fields": components["headers"]["IgnoredFields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ4mX1bTz7Yk=",
                     *       "headers": {
                     *         "user-agent": "Tenantry",
                     *         "content-type": "application/json",
                     *         "webhook-id": "2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23",
                     *         "webhook-timestamp": "1772443800",
                     *         "webhook-signature": "v1,5oP0Q5VbQ1xJj0m5yXo3y2mD9c0f3sV8lq7r1nT4a2E="
                     *       },
                     *       "body": "{\"id\":\"2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23\",\"type\":\"user.deleted\",\"timestamp\":\"2026-03-02T09:30:00.000Z\",\"data\":{…}}"
                     *     }
                     */
                    "application/json": components["schemas"]["SampleWebhookRequest"];
                };
            };
        };
    };
}
