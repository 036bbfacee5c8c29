/** Written by `npm run docs` from docs/openapi.json. */

export type FailureCode =
  | 'account_not_found'
  | 'account_occupied'
  | 'account_taken'
  | 'cursor_expired'
  | 'delivery_not_found'
  | 'email_already_verified'
  | 'email_taken'
  | 'event_not_found'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'identity_not_found'
  | 'insufficient_authority'
  | 'internal'
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_transition'
  | 'last_admin'
  | 'membership_exists'
  | 'membership_not_found'
  | 'membership_place_missing'
  | 'not_found'
  | 'only_way_in'
  | 'payload_too_large'
  | 'platform_system'
  | 'profile_name_taken'
  | 'profile_not_found'
  | 'profile_not_in_system'
  | 'role_name_taken'
  | 'role_not_found'
  | 'role_not_in_system'
  | 'session_not_found'
  | 'system_not_found'
  | 'too_many_requests'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'user_not_found'
  | 'user_shared'
  | 'version_conflict'
  | 'webhook_disabled'
  | 'webhook_not_found'

export interface paths {
    "/admin/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account
         * @description Returns one account. Accounts are created together with their first membership.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an account
         * @description Changes the name of the account. Sends the event `account.updated`. Audit entry: `account.updated`.
         *
         *     **Authority:** `platform`; `system`.
         */
        patch: operations["updateAccount"];
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
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * @description Returns the entries of the audit log, newest first. The filters are combined with AND. A service token receives the entries of its system, the admin of an account those of the account. No operation changes or deletes entries; the retention settings do.
         *
         *     **Authority:** `platform`; `system`; `account`.
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
    "/admin/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memberships
         * @description Returns memberships, newest first. The filters are combined with AND. A service token receives the memberships of its system, the admin of an account those of the account.
         *
         *     **Authority:** `platform`; `system`; `account`.
         */
        get: operations["listMemberships"];
        put?: never;
        /**
         * Create a membership
         * @description Gives a user access to an account of a system. With `systemId` a new account is created, named `accountName`; with `accountId` the user becomes a member of an existing account. Without `status` the membership is `pending` if the system has `requireAdminActivation`, otherwise `active`. Sends the event `user.access_granted` or `user.access_requested`, and `account.created` for a new account. Audit entry: `membership.created`.
         *
         *     Where the system does not have `multiAccount`, only the platform creates memberships: a user then has one account (`account_taken`) and an account one member (`account_occupied`).
         *
         *     **Authority:** `platform`; `system` (with `multiAccount` only); `account` (into its own account, with `multiAccount` only).
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
         * @description Removes the user from the account. The sessions of the membership end. The account remains. Sends the event `user.access_revoked`. Audit entry: `membership.deleted`. The admin of an account cannot remove its last active admin.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin).
         */
        delete: operations["deleteMembership"];
        options?: never;
        head?: never;
        /**
         * Change the status of a membership
         * @description Activates or blocks the membership. A blocked member cannot sign in to the account, and the sessions of the membership end. Sends the event `user.access_granted`, `user.access_restored` or `user.access_blocked`; the audit entry is `membership.granted`, `membership.restored` or `membership.blocked`. A membership cannot become `pending` again. The admin of an account cannot block its last active admin.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin).
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
         * @description Replaces the profiles by `profiles`, or changes them by `add` and `remove`. Access tokens contain the change after the next refresh. Sends the event `user.access_updated`. Audit entry: `membership.profiles_changed`.
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
         * @description Replaces the roles by `roles`, or changes them by `add` and `remove`. Access tokens contain the change after the next refresh. Sends the event `user.access_updated`. Audit entry: `membership.roles_changed`. The admin of an account cannot remove its last active admin.
         *
         *     **Authority:** `platform`; `system`; `account` (its own account, which must keep an admin).
         */
        patch: operations["updateMembershipRoles"];
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
         *     **Authority:** `platform`; `system` (all but `multiAccount`, `skipConsent` and `allowClientCredentials`).
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
        post?: never;
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
         * @description Creates a profile in the system. Two profiles of a system cannot have the same name. The meaning of the attributes is defined by the application. `updateMembershipProfiles` assigns profiles to memberships. Audit entry: `profile.created`.
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
         * @description Creates a role in the system. Two roles of a system cannot have the same name. `updateMembershipRoles` assigns roles to memberships. Audit entry: `role.created`.
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
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a role
         * @description Deletes the role and removes it from all memberships. Each of these memberships causes an event `user.access_updated`. Audit entry: `role.deleted`.
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
         *     **Authority:** `platform`; `system`.
         */
        post: operations["rotateSystemSecret"];
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
         * @description Registers an HTTPS endpoint that receives the events of the system from now on. The response is the only one that contains the `secret` that signs the requests: store it. Requests are signed as the Standard Webhooks specification defines. Audit entry: `webhook.created`.
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
         * @description Returns the deliveries of the webhook, newest first, each with its latest attempts. Only the platform receives the body that the endpoint responded with (`answer`).
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
         * @description Returns the users, newest first. A service token receives the users who have a membership in its system. With `email` it also receives a user of another system who has exactly this address, as `id` and `email` only, so that it can create a membership for them.
         *
         *     **Authority:** `platform`; `system` (its members; of anybody else, named by the whole address, only `id` and `email`).
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Creates a user with a `password`, with a `passwordHash` of another system, or without a password. `sendPasswordReset` lets the user choose one. The user has no access to a system before `createMembership`; until then a service token cannot read the user it has created. Sends the event `user.created`. Audit entry: `user.created`.
         *
         *     **Authority:** `platform`; `system` (anybody new; it reaches them once they are its members).
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
         *     **Authority:** `platform`.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Changes the fields in the body and leaves the others as they are; `metadata` is replaced as a whole. Sends the event `user.updated`. Audit entry: `user.updated`.
         *
         *     A new `email` is unverified unless the body says otherwise, makes links in earlier emails invalid, and both addresses are notified. `disabled` true ends all sessions of the user and prevents new ones.
         *
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         * @description Returns all stored data about the user as one document (GDPR, articles 15 and 20), without secrets. Of sessions, audit entries, emails and links the latest 10,000 each. A service token receives only what belongs to its system. Audit entry: `user.exported`.
         *
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         * @description Sends an email with a link by which the user verifies the address. The link expires after 24 hours and works once; earlier links become invalid. An address receives at most three such emails in 15 minutes and ten in a day, whoever requests them; beyond that the response is 429 with `Retry-After`. Audit entry: `user.verification_sent`.
         *
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         * @description Replaces the password of the user by a temporary one, which expires after 72 hours and must be changed at the next sign-in. The response is the only one that contains it. All sessions of the user end, and the user is notified by email. Audit entry: `user.password_reset`.
         *
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         * @description Sends an email with a link by which the user chooses a password. The link expires after 30 minutes and works once; earlier links become invalid. An address receives at most three such emails in 15 minutes and ten in a day, whoever requests them; beyond that the response is 429 with `Retry-After`. Audit entry: `user.password_reset_sent`.
         *
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
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
         *     **Authority:** `platform`; `system` (those it manages: members of it and of nothing else).
         */
        delete: operations["unlinkUserIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        CreateRole: {
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
        Role: {
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
        UpdateRole: {
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name?: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
    };
    responses: never;
    parameters: {
        /** @description Returns only items whose email address contains this text. Case-insensitive. */
        EmailSearch: string;
        /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
        IdempotencyKey: string;
        /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
        IfMatch: string;
        /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
        IfNoneMatch: string;
        /** @description Returns only items whose name contains this text. Case-insensitive. */
        NameSearch: string;
        /** @description The number of the page, from 1. A page after the last one is empty. */
        Page: number;
        /** @description The number of items on a page. A value above 100 is treated as 100. */
        PageSize: number;
        /**
         * @description The id of the role.
         * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
         */
        RoleId: string;
        /**
         * @description The id of the system.
         * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
         */
        SystemId: string;
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
         * @description The fields of the request body that the operation does not know and ignores, as paths separated by commas. Not sent if there are none.
         * @example colour, branding/shape
         */
        IgnoredFields: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                accountId: string;
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
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        kind: "personal" | "organization";
                        name: string;
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                accountId: string;
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
                "application/json": {
                    name?: string;
                };
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
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @enum {string} */
                        kind: "personal" | "organization";
                        name: string;
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    listAccountMembers: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearch"];
                status?: "pending" | "active" | "blocked";
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of memberships. */
            200: {
                headers: {
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
                     *           "roles": [
                     *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *           ],
                     *           "profiles": [],
                     *           "account": {
                     *             "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "name": "Acme"
                     *           },
                     *           "user": {
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "email": "ana@acme.example"
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            account: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            /** Format: uuid */
                            accountId: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /** @description Ids of profiles. */
                            profiles: string[];
                            /** @description Ids of roles. */
                            roles: string[];
                            /** @enum {string} */
                            status: "pending" | "active" | "blocked";
                            /** Format: uuid */
                            systemId: string;
                            /** Format: date-time */
                            updatedAt: string;
                            user: {
                                email: string;
                                /** Format: uuid */
                                id: string;
                            };
                            /** Format: uuid */
                            userId: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                accountId?: string;
                action?: string;
                actorId?: string;
                actorType?: "user" | "service" | "anonymous" | "server";
                /** @description This moment and later. */
                from?: string;
                outcome?: "success" | "failure";
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                requestId?: string;
                systemId?: string;
                targetId?: string;
                targetType?: string;
                /** @description Before this moment. */
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
                     *             "userAgent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
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
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            accountId: string | null;
                            /** @description `noun.verb` in the past: `membership.blocked`. */
                            action: string;
                            actor: {
                                /** @description Of a user the id, of a service its clientId. */
                                id: string | null;
                                ip: string | null;
                                /** @enum {string} */
                                type: "user" | "service" | "anonymous" | "server";
                                userAgent: string | null;
                            };
                            /** @description Of each field the old and the new value. */
                            changes: {
                                [key: string]: unknown[];
                            };
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            outcome: "success" | "failure";
                            /** @description The same in every entry of one request, and in its refusal. */
                            requestId: string | null;
                            /** Format: uuid */
                            systemId: string | null;
                            target: {
                                id: string | null;
                                type: string | null;
                            };
                            /** Format: date-time */
                            time: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A cursor or the id of an event: what came after it. Or a moment: what happened then and later. */
                after?: string;
                /** @description The greatest number of events in the response. */
                limit?: number;
                systemId?: string;
                /** @description Only events of this kind; repeat it for several. */
                type?: ("user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "account.updated" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse") | ("user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "account.updated" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse")[];
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
                     *             "status": "active",
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
                    "application/json": {
                        data: {
                            /** @description Enough to act on without asking back; docs/events.md has the fields of each kind. */
                            data: {
                                [key: string]: unknown;
                            };
                            /** Format: uuid */
                            id: string;
                            /** Format: date-time */
                            timestamp: string;
                            /** @enum {string} */
                            type: "user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "account.updated" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse";
                        }[];
                        /** @description Whether to read on at once. A page may be empty and have more behind it. */
                        more: boolean;
                        /** @description The cursor to read on from, also when there was nothing. */
                        next: string;
                    };
                };
            };
        };
    };
    listMemberships: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearch"];
                status?: "pending" | "active" | "blocked";
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
                     *           "roles": [
                     *             "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *           ],
                     *           "profiles": [],
                     *           "account": {
                     *             "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *             "name": "Acme"
                     *           },
                     *           "user": {
                     *             "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *             "email": "ana@acme.example"
                     *           },
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            account: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            /** Format: uuid */
                            accountId: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /** @description Ids of profiles. */
                            profiles: string[];
                            /** @description Ids of roles. */
                            roles: string[];
                            /** @enum {string} */
                            status: "pending" | "active" | "blocked";
                            /** Format: uuid */
                            systemId: string;
                            /** Format: date-time */
                            updatedAt: string;
                            user: {
                                email: string;
                                /** Format: uuid */
                                id: string;
                            };
                            /** Format: uuid */
                            userId: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
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
                "application/json": {
                    /** Format: uuid */
                    accountId?: string;
                    accountName?: string;
                    profiles?: string[];
                    roles?: string[];
                    /** @enum {string} */
                    status?: "pending" | "active" | "blocked";
                    /** Format: uuid */
                    systemId?: string;
                    /** Format: uuid */
                    userId: string;
                };
            };
        };
        responses: {
            /** @description The membership was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
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
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        };
                        /** Format: uuid */
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @description Ids of profiles. */
                        profiles: string[];
                        /** @description Ids of roles. */
                        roles: string[];
                        /** @enum {string} */
                        status: "pending" | "active" | "blocked";
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        user: {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        };
                        /** Format: uuid */
                        userId: string;
                    };
                };
            };
        };
    };
    getMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                membershipId: string;
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
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        };
                        /** Format: uuid */
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @description Ids of profiles. */
                        profiles: string[];
                        /** @description Ids of roles. */
                        roles: string[];
                        /** @enum {string} */
                        status: "pending" | "active" | "blocked";
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        user: {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        };
                        /** Format: uuid */
                        userId: string;
                    };
                };
            };
        };
    };
    deleteMembership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                membershipId: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                membershipId: string;
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
                "application/json": {
                    /** @enum {string} */
                    status: "pending" | "active" | "blocked";
                };
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
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        };
                        /** Format: uuid */
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @description Ids of profiles. */
                        profiles: string[];
                        /** @description Ids of roles. */
                        roles: string[];
                        /** @enum {string} */
                        status: "pending" | "active" | "blocked";
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        user: {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        };
                        /** Format: uuid */
                        userId: string;
                    };
                };
            };
        };
    };
    updateMembershipProfiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                membershipId: string;
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
                "application/json": {
                    add?: string[];
                    profiles?: string[];
                    remove?: string[];
                };
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        };
                        /** Format: uuid */
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @description Ids of profiles. */
                        profiles: string[];
                        /** @description Ids of roles. */
                        roles: string[];
                        /** @enum {string} */
                        status: "pending" | "active" | "blocked";
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        user: {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        };
                        /** Format: uuid */
                        userId: string;
                    };
                };
            };
        };
    };
    updateMembershipRoles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                membershipId: string;
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
                "application/json": {
                    add?: string[];
                    remove?: string[];
                    roles?: string[];
                };
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
                     *       "roles": [
                     *         "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20"
                     *       ],
                     *       "profiles": [],
                     *       "account": {
                     *         "id": "d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68",
                     *         "name": "Acme"
                     *       },
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        account: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        };
                        /** Format: uuid */
                        accountId: string;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @description Ids of profiles. */
                        profiles: string[];
                        /** @description Ids of roles. */
                        roles: string[];
                        /** @enum {string} */
                        status: "pending" | "active" | "blocked";
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        user: {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        };
                        /** Format: uuid */
                        userId: string;
                    };
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
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
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "lastSeenAt": "2026-03-02T09:30:00.000Z",
                     *           "expiresAt": "2026-03-16T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            accountId: string;
                            /** @description How the person proved who they are (RFC 8176). */
                            amr: string[];
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            ip: string | null;
                            /** @description The sid: it ends the session as the jti of any of its tokens does. */
                            jti: string;
                            /** Format: date-time */
                            lastSeenAt: string;
                            sid: string;
                            /** Format: uuid */
                            systemId: string;
                            userAgent: string | null;
                            /** Format: uuid */
                            userId: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jti: string;
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
                systemId: string;
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
                    "application/json": {
                        /** @description How many sessions were alive until now. */
                        ended: number;
                    };
                };
            };
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
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
                    "application/json": {
                        /** @description How many sessions were alive until now. */
                        ended: number;
                    };
                };
            };
        };
    };
    listSystems: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose name contains this text. Case-insensitive. */
                search?: components["parameters"]["NameSearch"];
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
                     *           "backchannelLogoutUri": null,
                     *           "branding": {
                     *             "color": "#336699"
                     *           },
                     *           "idTokenAlg": "RS256",
                     *           "requireAdminActivation": false,
                     *           "requireEmailOtp": false,
                     *           "requireMfa": false,
                     *           "skipConsent": false,
                     *           "platform": false,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            allowClientCredentials: boolean;
                            allowedScopes: string[];
                            allowSelfRegister: boolean;
                            /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                            backchannelLogoutUri: string | null;
                            branding: {
                                color?: string;
                                /** @description An https address. */
                                logoUrl?: string;
                            };
                            clientId: string;
                            /** @enum {string} */
                            clientType: "confidential" | "public";
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                             * @enum {string}
                             */
                            idTokenAlg: "RS256" | "ES256";
                            multiAccount: boolean;
                            name: string;
                            /** @description One of the service's own: its admins reach everything. */
                            platform: boolean;
                            postLogoutRedirectUris: string[];
                            redirectUris: string[];
                            requireAdminActivation: boolean;
                            requireEmailOtp: boolean;
                            requireMfa: boolean;
                            skipConsent: boolean;
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
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
                "application/json": {
                    allowClientCredentials?: boolean;
                    /** @description Contains `openid`: every sign-in is an OpenID Connect one. */
                    allowedScopes?: ("openid" | "email" | "profile" | "offline_access")[];
                    allowSelfRegister?: boolean;
                    /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                    backchannelLogoutUri?: string | null;
                    branding?: {
                        color?: string;
                        /** @description An https address. */
                        logoUrl?: string;
                    };
                    /** @enum {string} */
                    clientType?: "confidential" | "public";
                    /**
                     * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                     * @enum {string}
                     */
                    idTokenAlg?: "RS256" | "ES256";
                    multiAccount?: boolean;
                    name: string;
                    postLogoutRedirectUris?: string[];
                    redirectUris?: string[];
                    requireAdminActivation?: boolean;
                    requireEmailOtp?: boolean;
                    requireMfa?: boolean;
                    skipConsent?: boolean;
                };
            };
        };
        responses: {
            /** @description The system was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
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
                     *       "backchannelLogoutUri": null,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "platform": false,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "clientSecret": "kq7Zr3bT9wLm2XcV5nHs8yGd4jFp6aQe1uRo0iEt-Ys"
                     *     }
                     */
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        clientSecret?: string;
                        /** @enum {string} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {string}
                         */
                        idTokenAlg: "RS256" | "ES256";
                        multiAccount: boolean;
                        name: string;
                        /** @description One of the service's own: its admins reach everything. */
                        platform: boolean;
                        postLogoutRedirectUris: string[];
                        redirectUris: string[];
                        requireAdminActivation: boolean;
                        requireEmailOtp: boolean;
                        requireMfa: boolean;
                        skipConsent: boolean;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                systemId: string;
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
                     *       "backchannelLogoutUri": null,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "platform": false,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        /** @enum {string} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {string}
                         */
                        idTokenAlg: "RS256" | "ES256";
                        multiAccount: boolean;
                        name: string;
                        /** @description One of the service's own: its admins reach everything. */
                        platform: boolean;
                        postLogoutRedirectUris: string[];
                        redirectUris: string[];
                        requireAdminActivation: boolean;
                        requireEmailOtp: boolean;
                        requireMfa: boolean;
                        skipConsent: boolean;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    deleteSystem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                systemId: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                systemId: string;
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
                "application/json": {
                    allowClientCredentials?: boolean;
                    /** @description Contains `openid`: every sign-in is an OpenID Connect one. */
                    allowedScopes?: ("openid" | "email" | "profile" | "offline_access")[];
                    allowSelfRegister?: boolean;
                    /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                    backchannelLogoutUri?: string | null;
                    branding?: {
                        color?: string;
                        /** @description An https address. */
                        logoUrl?: string;
                    };
                    /**
                     * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                     * @enum {string}
                     */
                    idTokenAlg?: "RS256" | "ES256";
                    multiAccount?: boolean;
                    name?: string;
                    postLogoutRedirectUris?: string[];
                    redirectUris?: string[];
                    requireAdminActivation?: boolean;
                    requireEmailOtp?: boolean;
                    requireMfa?: boolean;
                    skipConsent?: boolean;
                };
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
                     *       "backchannelLogoutUri": null,
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": true,
                     *       "skipConsent": false,
                     *       "platform": false,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        /** @description Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address. */
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        /** @enum {string} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {string}
                         */
                        idTokenAlg: "RS256" | "ES256";
                        multiAccount: boolean;
                        name: string;
                        /** @description One of the service's own: its admins reach everything. */
                        platform: boolean;
                        postLogoutRedirectUris: string[];
                        redirectUris: string[];
                        requireAdminActivation: boolean;
                        requireEmailOtp: boolean;
                        requireMfa: boolean;
                        skipConsent: boolean;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose name contains this text. Case-insensitive. */
                search?: components["parameters"]["NameSearch"];
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
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
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z",
                     *           "memberCount": 3
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            kind: "personal" | "organization";
                            /** @description Memberships of any status. */
                            memberCount: number;
                            name: string;
                            /** Format: uuid */
                            systemId: string;
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose name contains this text. Case-insensitive. */
                search?: components["parameters"]["NameSearch"];
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles. */
            200: {
                headers: {
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
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description Any JSON object. An update replaces the whole object. */
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
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
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
                "application/json": {
                    /** @description Any JSON object. An update replaces the whole object. */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    description?: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description The profile was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
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
                     *         "grade": 3
                     *       },
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Any JSON object. An update replaces the whole object. */
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
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                profileId: string;
                systemId: string;
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
                    "application/json": {
                        /** @description Any JSON object. An update replaces the whole object. */
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
                };
            };
        };
    };
    deleteProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                profileId: string;
                systemId: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                profileId: string;
                systemId: string;
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
                "application/json": {
                    /** @description Any JSON object. An update replaces the whole object. */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    description?: string | null;
                    name?: string;
                };
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
                    "application/json": {
                        /** @description Any JSON object. An update replaces the whole object. */
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
                systemId: components["parameters"]["SystemId"];
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
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemId"];
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
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "systemId": "3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35",
                     *       "name": "Accountant",
                     *       "isAdmin": false,
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
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the role.
                 * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
                 */
                roleId: components["parameters"]["RoleId"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role was deleted. */
            204: {
                headers: {
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The id of the role.
                 * @example 7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20
                 */
                roleId: components["parameters"]["RoleId"];
                /**
                 * @description The id of the system.
                 * @example 3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35
                 */
                systemId: components["parameters"]["SystemId"];
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
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
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
                "application/json": {
                    /** @description How long the old secret stays good, and the service tokens that were got by it: also the one of this request. Default 0. */
                    graceSeconds?: number;
                };
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
                    "application/json": {
                        clientId: string;
                        clientSecret: string;
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
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
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            createdAt: string;
                            /**
                             * @description Why we disabled it: its receiver said 410, or nothing but failures came of it for five days.
                             * @enum {string|null}
                             */
                            disabledReason: "gone" | "failing" | null;
                            enabled: boolean;
                            events: string[];
                            /** Format: uuid */
                            id: string;
                            /** Format: uuid */
                            systemId: string;
                            /** Format: date-time */
                            updatedAt: string;
                            url: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
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
                "application/json": {
                    /** @description Nothing is queued while it is false; resend tells what was missed. */
                    enabled?: boolean;
                    /** @description The kinds of event to send; none: all, also those to come. */
                    events?: ("user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "account.updated" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse")[];
                    /** @description A public https address. */
                    url: string;
                };
            };
        };
        responses: {
            /** @description The webhook was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
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
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ4mX1bTz7Yk="
                     *     }
                     */
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /**
                         * @description Why we disabled it: its receiver said 410, or nothing but failures came of it for five days.
                         * @enum {string|null}
                         */
                        disabledReason: "gone" | "failing" | null;
                        enabled: boolean;
                        events: string[];
                        /** Format: uuid */
                        id: string;
                        secret: string;
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        url: string;
                    };
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                systemId: string;
                webhookId: string;
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /**
                         * @description Why we disabled it: its receiver said 410, or nothing but failures came of it for five days.
                         * @enum {string|null}
                         */
                        disabledReason: "gone" | "failing" | null;
                        enabled: boolean;
                        events: string[];
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        url: string;
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                systemId: string;
                webhookId: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                systemId: string;
                webhookId: string;
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
                "application/json": {
                    /** @description Nothing is queued while it is false; resend tells what was missed. */
                    enabled?: boolean;
                    /** @description The kinds of event to send; none: all, also those to come. */
                    events?: ("user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "account.created" | "account.updated" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse")[];
                    /** @description A public https address. */
                    url?: string;
                };
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /**
                         * @description Why we disabled it: its receiver said 410, or nothing but failures came of it for five days.
                         * @enum {string|null}
                         */
                        disabledReason: "gone" | "failing" | null;
                        enabled: boolean;
                        events: string[];
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                        url: string;
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
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
                     *           ]
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description The newest 20, oldest first. */
                            attempts: {
                                /** @description Its first 1,024 bytes; for the platform only. */
                                answer?: string | null;
                                durationMs: number;
                                error: string | null;
                                /** @description The HTTP status; null when nothing was answered. */
                                status: number | null;
                                /** Format: date-time */
                                time: string;
                            }[];
                            /** Format: uuid */
                            eventId: string;
                            /** Format: date-time */
                            finishedAt: string | null;
                            /** Format: uuid */
                            id: string;
                            /**
                             * Format: date-time
                             * @description Not before; null when it is done.
                             */
                            nextAttemptAt: string | null;
                            /** @enum {string} */
                            status: "pending" | "delivered" | "failed";
                            /**
                             * Format: date-time
                             * @description Of the event.
                             */
                            timestamp: string;
                            type: string;
                        }[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                deliveryId: string;
                systemId: string;
                webhookId: string;
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
                    "application/json": {
                        /** @description Deliveries that are on their way again. */
                        queued: number;
                    };
                };
            };
        };
    };
    resendEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
                webhookId: string;
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
                "application/json": {
                    /** @description A cursor of the log of events, the id of an event, or a moment. */
                    after: string;
                };
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
                    "application/json": {
                        /** @description Where to go on: there may be more after it. Null when that was all. */
                        next: string | null;
                        /** @description Deliveries that are on their way again. */
                        queued: number;
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
                webhookId: string;
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
                "application/json": {
                    /** @description How long the old secret signs too. Default 0. */
                    graceSeconds?: number;
                };
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
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        secret: string;
                    };
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                systemId: string;
                webhookId: string;
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
                    "application/json": {
                        /** Format: uuid */
                        eventId: string;
                    };
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description The whole address, in any letter case. */
                email?: string;
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["Page"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSize"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearch"];
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
                     *           "locale": "pt-BR",
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
                     *       "total": 1
                     *     }
                     */
                    "application/json": {
                        data: ({
                            /** Format: date-time */
                            createdAt: string;
                            disabled: boolean;
                            email: string;
                            emailVerified: boolean;
                            familyName: string | null;
                            givenName: string | null;
                            hasPassword: boolean;
                            /** Format: uuid */
                            id: string;
                            identities: {
                                email: string | null;
                                provider: string;
                                subject: string;
                            }[];
                            /** Format: date-time */
                            lastLoginAt: string | null;
                            locale: string | null;
                            /** @description Any JSON object. An update replaces the whole object. */
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @description An authenticator app or a passkey is enrolled. */
                            mfaEnabled: boolean;
                            /** @description The next sign-in asks for another password. */
                            mustChangePassword: boolean;
                            name: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        } | {
                            email: string;
                            /** Format: uuid */
                            id: string;
                        })[];
                        /** @description The number of this page. */
                        page: number;
                        /** @description The greatest number of items on a page, at most 100. */
                        pageSize: number;
                        /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
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
                "application/json": {
                    email: string;
                    emailVerified?: boolean;
                    familyName?: string | null;
                    givenName?: string | null;
                    locale?: string | null;
                    /** @description Any JSON object. An update replaces the whole object. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    name?: string | null;
                    /** @description From PASSWORD_MIN_LENGTH to 128 characters after NFC. */
                    password?: string;
                    /** @description Of argon2, bcrypt, scrypt or PBKDF2, made elsewhere: docs/moving-in.md says in which forms. Replaced by one of ours at the first sign-in. */
                    passwordHash?: string;
                };
            };
        };
        responses: {
            /** @description The user was created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
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
                     *       "locale": "pt-BR",
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabled: boolean;
                        email: string;
                        emailVerified: boolean;
                        familyName: string | null;
                        givenName: string | null;
                        hasPassword: boolean;
                        /** Format: uuid */
                        id: string;
                        identities: {
                            email: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        /** Format: date-time */
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Any JSON object. An update replaces the whole object. */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @description An authenticator app or a passkey is enrolled. */
                        mfaEnabled: boolean;
                        /** @description The next sign-in asks for another password. */
                        mustChangePassword: boolean;
                        name: string | null;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                userId: string;
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
                     *       "locale": "pt-BR",
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabled: boolean;
                        email: string;
                        emailVerified: boolean;
                        familyName: string | null;
                        givenName: string | null;
                        hasPassword: boolean;
                        /** Format: uuid */
                        id: string;
                        identities: {
                            email: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        /** Format: date-time */
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Any JSON object. An update replaces the whole object. */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @description An authenticator app or a passkey is enrolled. */
                        mfaEnabled: boolean;
                        /** @description The next sign-in asks for another password. */
                        mustChangePassword: boolean;
                        name: string | null;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                userId: string;
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
                "application/json": {
                    disabled?: boolean;
                    email?: string;
                    emailVerified?: boolean;
                    familyName?: string | null;
                    givenName?: string | null;
                    locale?: string | null;
                    /** @description Any JSON object. An update replaces the whole object. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    name?: string | null;
                };
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
                     *       "locale": "pt-BR",
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabled: boolean;
                        email: string;
                        emailVerified: boolean;
                        familyName: string | null;
                        givenName: string | null;
                        hasPassword: boolean;
                        /** Format: uuid */
                        id: string;
                        identities: {
                            email: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        /** Format: date-time */
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Any JSON object. An update replaces the whole object. */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @description An authenticator app or a passkey is enrolled. */
                        mfaEnabled: boolean;
                        /** @description The next sign-in asks for another password. */
                        mustChangePassword: boolean;
                        name: string | null;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    disableUserMfa: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                userId: string;
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
                     *       "locale": "pt-BR",
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabled: boolean;
                        email: string;
                        emailVerified: boolean;
                        familyName: string | null;
                        givenName: string | null;
                        hasPassword: boolean;
                        /** Format: uuid */
                        id: string;
                        identities: {
                            email: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        /** Format: date-time */
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Any JSON object. An update replaces the whole object. */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @description An authenticator app or a passkey is enrolled. */
                        mfaEnabled: boolean;
                        /** @description The next sign-in asks for another password. */
                        mustChangePassword: boolean;
                        name: string | null;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
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
                     *         "locale": "pt-BR",
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
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "personalAccounts": [],
                     *       "sessions": [],
                     *       "consents": [],
                     *       "audit": [],
                     *       "mails": [],
                     *       "links": []
                     *     }
                     */
                    "application/json": {
                        audit: {
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
                        }[];
                        consents: {
                            /** Format: uuid */
                            accountId: string;
                            /** Format: date-time */
                            grantedAt: string;
                            scopes: string[];
                            /** Format: uuid */
                            systemId: string;
                        }[];
                        /** Format: date-time */
                        exportedAt: string;
                        factors: {
                            authenticators: {
                                /** Format: date-time */
                                confirmedAt: string | null;
                                /** Format: date-time */
                                createdAt: string;
                            }[];
                            passkeys: {
                                backedUp: boolean;
                                /** Format: date-time */
                                createdAt: string;
                                /** Format: date-time */
                                lastUsedAt: string | null;
                                name: string;
                                transports: string[];
                            }[];
                            recoveryCodes: {
                                left: number;
                                used: number;
                            };
                        };
                        identities: {
                            /** Format: date-time */
                            createdAt: string;
                            email: string | null;
                            /** Format: date-time */
                            lastLoginAt: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        links: {
                            /** Format: date-time */
                            consumedAt: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            email: string;
                            /** Format: date-time */
                            expiresAt: string;
                            purpose: string;
                        }[];
                        mails: {
                            /** Format: date-time */
                            createdAt: string;
                            kind: string;
                            recipient: string;
                            /** Format: date-time */
                            sentAt: string | null;
                            status: string;
                        }[];
                        memberships: {
                            account: {
                                /** Format: uuid */
                                id: string;
                                kind: string;
                                name: string;
                            };
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            profiles: string[];
                            roles: string[];
                            status: string;
                            system: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            };
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        personalAccounts: {
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            name: string;
                            /** Format: uuid */
                            systemId: string;
                        }[];
                        sessions: {
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
                        }[];
                        user: {
                            /** Format: date-time */
                            createdAt: string;
                            disabled: boolean;
                            email: string;
                            emailVerified: boolean;
                            familyName: string | null;
                            givenName: string | null;
                            hasPassword: boolean;
                            /** Format: uuid */
                            id: string;
                            identities: {
                                email: string | null;
                                provider: string;
                                subject: string;
                            }[];
                            /** Format: date-time */
                            lastLoginAt: string | null;
                            locale: string | null;
                            /** @description Any JSON object. An update replaces the whole object. */
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @description An authenticator app or a passkey is enrolled. */
                            mfaEnabled: boolean;
                            /** @description The next sign-in asks for another password. */
                            mustChangePassword: boolean;
                            name: string | null;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                userId: string;
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
                    "application/json": {
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                userId: string;
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
                    "application/json": {
                        /** @description Shown once. Good for 72 hours; the sign-in with it asks for another one. */
                        temporaryPassword: string;
                    };
                };
            };
        };
    };
    sendPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                userId: string;
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
                    "application/json": {
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    setUserPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                userId: string;
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
                "application/json": {
                    /** @description Whether the next sign-in asks for another one. Default false. */
                    mustChangePassword?: boolean;
                    /** @description From PASSWORD_MIN_LENGTH to 128 characters after NFC. */
                    password: string;
                };
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
                     *       "locale": "pt-BR",
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
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabled: boolean;
                        email: string;
                        emailVerified: boolean;
                        familyName: string | null;
                        givenName: string | null;
                        hasPassword: boolean;
                        /** Format: uuid */
                        id: string;
                        identities: {
                            email: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        /** Format: date-time */
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Any JSON object. An update replaces the whole object. */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @description An authenticator app or a passkey is enrolled. */
                        mfaEnabled: boolean;
                        /** @description The next sign-in asks for another password. */
                        mustChangePassword: boolean;
                        name: string | null;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    unlinkUserIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
                userId: string;
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
}
