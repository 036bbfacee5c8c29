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
  | 'insufficient_user_authentication'
  | 'internal'
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_transition'
  | 'last_admin'
  | 'last_admin_role'
  | 'limit_reached'
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
  | 'user_not_in_system'
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
         *     The user is named by `userId` or by `email`. The admin of an account adds users who are already members of the system; for any other, existing or not, the response is `user_not_found`. With `requireAdminActivation` the membership that an account admin adds is `pending`, whatever `status` is.
         *
         *     A user who was blocked by a higher authority cannot be added again (`insufficient_authority`), also after the membership was deleted: a block by the platform covers all accounts of the system, one by the system the account. The authority that blocked the user, or a higher one, lifts the block by creating the membership.
         *
         *     A user has at most 1,000 memberships in a system; the limits of roles and profiles are those of `updateMembershipRoles` and `updateMembershipProfiles` (`limit_reached`).
         *
         *     Where the system does not have `multiAccount`, only the platform creates memberships: a user then has one account (`account_taken`) and an account one member (`account_occupied`).
         *
         *     **Authority:** `platform`; `system` (with `multiAccount` only); `account` (members of the system into its own account, with `multiAccount` only).
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
         * Change the status of a membership
         * @description Activates or blocks the membership. A blocked member cannot sign in to the account, and the sessions of the membership end. Sends the event `user.access_granted`, `user.access_restored` or `user.access_blocked`; the audit entry is `membership.granted`, `membership.restored` or `membership.blocked`. A membership cannot become `pending` again. The admin of an account cannot block its last active admin.
         *
         *     A membership is activated by the authority that blocked it or by a higher one (platform, system, account); for others the response is `insufficient_authority`. With `requireAdminActivation` the admin of an account can activate only memberships that were active before.
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
         *     **Authority:** `platform`; `system` (all but `multiAccount`, `skipConsent`, `allowClientCredentials`, `allowDeviceFlow`, `requirePkce`, and with `skipConsent` the scopes `phone` and `address`).
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
         * @description Returns the users, newest first. A service token receives the users of its system: those with a membership there, and those it has created. With `email` it also receives a user of another system who has exactly this address, as `id` and `email` only, so that it can create a membership for them.
         *
         *     **Authority:** `platform`; `system` (users of its system; by complete address also others, as `id` and `email`).
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
         * @description Returns all stored data about the user as one document (GDPR, articles 15 and 20), without secrets. Of sessions, audit entries, emails and links the latest 10,000 each. A service token receives only what belongs to its system. Audit entry: `user.exported`.
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
         * @description Sends an email with a link by which the user verifies the address. The link expires after 24 hours and works once; earlier links stay valid. An address receives at most three such emails in 15 minutes and ten in a day, regardless of who requests them; beyond that the response is 429 with `Retry-After`. Audit entry: `user.verification_sent`.
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
         * @description Sends an email with a link by which the user chooses a password. The link expires after 30 minutes and works once; earlier links stay valid. An address receives at most three such emails in 15 minutes and ten in a day, regardless of who requests them; beyond that the response is 429 with `Retry-After`. Audit entry: `user.password_reset_sent`.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["AccountKind"];
            name: string;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /**
         * @description Whether the account is the personal one of a user.
         * @enum {string}
         */
        AccountKind: "personal" | "organization";
        AccountList: {
            data: components["schemas"]["ListedAccount"][];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
            total: number;
        };
        /**
         * @description Who acted: `service` is a client, `server` the process itself or its operator.
         * @enum {string}
         */
        ActorType: "user" | "service" | "anonymous" | "server";
        AuditActor: {
            /** @description The id of a user, the clientId of a service. */
            id: string | null;
            ip: string | null;
            type: components["schemas"]["ActorType"];
            userAgent: string | null;
        };
        AuditEntry: {
            /** Format: uuid */
            accountId: string | null;
            /** @description What happened, as `noun.verb` in the past: `membership.blocked`. */
            action: string;
            actor: components["schemas"]["AuditActor"];
            /** @description The old and the new value of each field. */
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
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
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
        Branding: {
            /** @description The color of buttons and links, such as `#336699`. */
            color?: string;
            /** @description An https URL. */
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
        CreateAccount: {
            name: string;
        };
        CreatedSystem: {
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow: boolean;
            /** @description The scopes that the system can request. */
            allowedScopes: string[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri: string | null;
            branding: components["schemas"]["Branding"];
            /** @description The client id (RFC 6749 section 2.2). */
            clientId: string;
            /** @description The client secret. Only in this response; not sent for a public client. */
            clientSecret?: string;
            clientType: components["schemas"]["ClientType"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. Access tokens are signed with ES256.
             * @enum {string}
             */
            idTokenAlg: "RS256" | "ES256";
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy: string[];
            jwks: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount: boolean;
            name: string;
            /** @description Whether this is a platform system: its service tokens and admins have platform authority. */
            platform: boolean;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris: string[];
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
            /**
             * @description `fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` must be `ES256`. Default null.
             * @enum {string|null}
             */
            securityProfile: "fapi2" | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent: boolean;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none";
            /** Format: date-time */
            updatedAt: string;
        };
        CreatedWebhook: {
            /** Format: date-time */
            createdAt: string;
            /**
             * @description Why the server disabled the webhook: `gone`, the endpoint responded 410; `failing`, no delivery succeeded for five days. Null if it did not.
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
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
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
        CreateSystem: {
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType?: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi?: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials?: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow?: boolean;
            /** @description The scopes that the system can request. Must contain `openid`. */
            allowedScopes?: ("openid" | "email" | "profile" | "phone" | "address" | "offline_access")[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister?: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri?: string | null;
            branding?: components["schemas"]["Branding"];
            clientType?: components["schemas"]["ClientType"];
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. Access tokens are signed with ES256.
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy?: string[];
            jwks?: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri?: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount?: boolean;
            name: string;
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
            /**
             * @description `fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` must be `ES256`. Default null.
             * @enum {string|null}
             */
            securityProfile?: "fapi2" | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent?: boolean;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt" | "none";
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
            name?: string | null;
            nickname?: string | null;
            /** @description PASSWORD_MIN_LENGTH to 128 characters after normalization to NFC. */
            password?: string;
            /** @description A hash of argon2, bcrypt, scrypt or PBKDF2 from another system, in a format of docs/moving-in.md. Replaced by a hash of this server at the first sign-in. Without `emailVerified` true, a hash that the platform sends is valid only together with an emailed code at the first sign-in. */
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
            /** @description A public https URL. */
            url: string;
        };
        Delivery: {
            /** @description The latest 20 attempts, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** Format: uuid */
            eventId: string;
            /**
             * Format: date-time
             * @description When the delivery succeeded or failed for good; null while it is pending.
             */
            finishedAt: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description The earliest time of the next attempt; null if there is none.
             */
            nextAttemptAt: string | null;
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
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
            total: number;
        };
        /**
         * @description The status of a delivery.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "failed";
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
        EventType: "user.access_requested" | "user.access_granted" | "user.access_updated" | "user.access_blocked" | "user.access_restored" | "user.access_revoked" | "user.created" | "user.updated" | "user.deleted" | "user.merged" | "account.created" | "account.updated" | "account.deleted" | "session.ended" | "system.secret_rotated" | "security.refresh_reuse";
        ExportedAccount: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            name: string;
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
        ExportedMembership: {
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
        FoundUser: {
            email: string;
            /** Format: uuid */
            id: string;
        };
        Identity: {
            email: string | null;
            provider: string;
            subject: string;
        };
        ListedAccount: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["AccountKind"];
            /** @description The number of memberships of any status. */
            memberCount: number;
            name: string;
            /** Format: uuid */
            systemId: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Membership: {
            account: components["schemas"]["MembershipAccount"];
            /** Format: uuid */
            accountId: string;
            blockedBy: components["schemas"]["BlockedBy"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            /** @description The ids of the profiles. */
            profiles: string[];
            /** @description The ids of the roles. */
            roles: string[];
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
        MembershipList: {
            data: components["schemas"]["Membership"][];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
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
        };
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
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
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
        ResendEvents: {
            /** @description A cursor of the event log or the id of an event: the events after it. Or a date and time: the events from then on. */
            after: string;
        };
        Role: {
            /** @description Whether admins of accounts can assign and remove the role. Default true. If false, the role is reserved: only the system and the platform assign and remove it, and account admins cannot change a membership that has it. */
            assignableByAccountAdmins: boolean;
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
        SentLink: {
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expiresAt: string;
        };
        Session: {
            /** Format: uuid */
            accountId: string;
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
            sid: string;
            /** Format: uuid */
            systemId: string;
            userAgent: string | null;
            /** Format: uuid */
            userId: string;
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
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
        System: {
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow: boolean;
            /** @description The scopes that the system can request. */
            allowedScopes: string[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri: string | null;
            branding: components["schemas"]["Branding"];
            /** @description The client id (RFC 6749 section 2.2). */
            clientId: string;
            clientType: components["schemas"]["ClientType"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId: string | null;
            /** Format: uuid */
            id: string;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. Access tokens are signed with ES256.
             * @enum {string}
             */
            idTokenAlg: "RS256" | "ES256";
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy: string[];
            jwks: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount: boolean;
            name: string;
            /** @description Whether this is a platform system: its service tokens and admins have platform authority. */
            platform: boolean;
            /** @description The URLs to which a logout can redirect. */
            postLogoutRedirectUris: string[];
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
            /**
             * @description `fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` must be `ES256`. Default null.
             * @enum {string|null}
             */
            securityProfile: "fapi2" | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent: boolean;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none";
            /** Format: date-time */
            updatedAt: string;
        };
        SystemList: {
            data: components["schemas"]["System"][];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
            total: number;
        };
        TemporaryPassword: {
            /** @description Only in this response. Expires after 72 hours. */
            temporaryPassword: string;
        };
        UpdateAccount: {
            name?: string;
        };
        UpdateMembership: {
            status: components["schemas"]["MembershipStatus"];
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
            /** @description Whether a member with this role administers the account. The token then has `is_admin` true. */
            isAdmin?: boolean;
            name?: string;
            /** @description The permissions of the role, named by the application. The token has those of all roles as `permissions`. */
            scopes?: string[];
        };
        UpdateSystem: {
            /**
             * @description The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.
             * @enum {string}
             */
            accessTokenType?: "at+jwt" | "JWT";
            /** @description Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can. */
            accountAdminApi?: boolean;
            /** @description Whether the system can use the grant `client_credentials`. Default false. */
            allowClientCredentials?: boolean;
            /** @description Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system. */
            allowDeviceFlow?: boolean;
            /** @description The scopes that the system can request. Must contain `openid`. */
            allowedScopes?: ("openid" | "email" | "profile" | "phone" | "address" | "offline_access")[];
            /** @description Whether users can sign up. Default false. */
            allowSelfRegister?: boolean;
            /** @description A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0). */
            backchannelLogoutUri?: string | null;
            branding?: components["schemas"]["Branding"];
            /**
             * Format: uuid
             * @description The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).
             */
            founderRoleId?: string | null;
            /**
             * @description The signature algorithm of ID tokens. Default `RS256`. Access tokens are signed with ES256.
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /** @description The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none. */
            introspectableBy?: string[];
            jwks?: components["schemas"]["ClientKeySet"] | null;
            /** @description A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`. */
            jwksUri?: string | null;
            /** @description Whether a user can have several accounts, and an account several members. Default false. */
            multiAccount?: boolean;
            name?: string;
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
            /**
             * @description `fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` must be `ES256`. Default null.
             * @enum {string|null}
             */
            securityProfile?: "fapi2" | null;
            /** @description Whether users are not asked for consent. Default false. */
            skipConsent?: boolean;
            /**
             * @description How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.
             * @enum {string}
             */
            tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt" | "none";
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
            /** @description A public https URL. */
            url?: string;
        };
        User: {
            address: components["schemas"]["PostalAddress"] | null;
            /** @description `YYYY-MM-DD`, `YYYY`, or `0000-MM-DD` without the year. */
            birthdate: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Whether the user cannot sign in. */
            disabled: boolean;
            email: string;
            emailVerified: boolean;
            familyName: string | null;
            gender: string | null;
            givenName: string | null;
            hasPassword: boolean;
            /** Format: uuid */
            id: string;
            identities: components["schemas"]["Identity"][];
            /** Format: date-time */
            lastLoginAt: string | null;
            locale: string | null;
            /** @description Any JSON object of at most 16,384 bytes. An update replaces the whole object. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description Whether an authenticator app or a passkey is enrolled. */
            mfaEnabled: boolean;
            middleName: string | null;
            /** @description Whether the next sign-in asks for a new password. */
            mustChangePassword: boolean;
            name: string | null;
            nickname: string | null;
            /** @description In the format E.164, such as `+351210000000`. */
            phoneNumber: string | null;
            /** @description Whether the caller has verified `phoneNumber`. Another number is not verified. A service token states it for its own system only, together with the number. */
            phoneNumberVerified: boolean;
            /** @description The URL of a picture of the user. */
            picture: string | null;
            preferredUsername: string | null;
            /** @description The URL of a page about the user. */
            profile: string | null;
            /** Format: date-time */
            updatedAt: string;
            website: string | null;
            /** @description A name of the IANA time zone database, such as `Europe/Lisbon`. */
            zoneinfo: string | null;
        };
        UserExport: {
            audit: components["schemas"]["ExportedAuditEntry"][];
            blocks: components["schemas"]["ExportedBlock"][];
            consents: components["schemas"]["ExportedConsent"][];
            /** Format: date-time */
            exportedAt: string;
            factors: {
                authenticators: components["schemas"]["ExportedAuthenticator"][];
                passkeys: components["schemas"]["ExportedPasskey"][];
                recoveryCodes: {
                    left: number;
                    used: number;
                };
            };
            identities: components["schemas"]["ExportedIdentity"][];
            links: components["schemas"]["ExportedLink"][];
            mails: components["schemas"]["ExportedEmail"][];
            memberships: components["schemas"]["ExportedMembership"][];
            personalAccounts: components["schemas"]["ExportedAccount"][];
            sessions: components["schemas"]["ExportedSession"][];
            user: components["schemas"]["User"];
        };
        UserList: {
            data: (components["schemas"]["User"] | components["schemas"]["FoundUser"])[];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
            total: number;
        };
        Webhook: {
            /** Format: date-time */
            createdAt: string;
            /**
             * @description Why the server disabled the webhook: `gone`, the endpoint responded 410; `failing`, no delivery succeeded for five days. Null if it did not.
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
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
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            /** @description The number of this page. */
            page: number;
            /** @description The greatest number of items on a page, at most 100. */
            pageSize: number;
            /** @description The number of items on all pages. Exact up to 10,000 and on the last page; otherwise a number above 10,000 that is greater than the number of items on the pages so far, so that `page * pageSize < total` is true if there is a next page. */
            total: number;
        };
        WebhookTest: {
            /**
             * Format: uuid
             * @description The id of the test event.
             */
            eventId: string;
        };
    };
    responses: never;
    parameters: {
        /**
         * @description The id of the account.
         * @example d9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68
         */
        AccountIdParameter: string;
        /** @description Who acted: `service` is a client, `server` the process itself or its operator. */
        ActorTypeParameter: "user" | "service" | "anonymous" | "server";
        /** @description The outcome. */
        AuditOutcomeParameter: "success" | "failure";
        /**
         * @description The id of the delivery.
         * @example 1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12
         */
        DeliveryIdParameter: string;
        /** @description The status of a delivery. */
        DeliveryStatusParameter: "pending" | "delivered" | "failed";
        /** @description Returns only items whose email address contains this text. Case-insensitive. */
        EmailSearchParameter: string;
        /** @description Makes the request safe to retry. Within 24 hours, a request with the same key and the same content is processed once, and each retry receives the first response, with `Idempotency-Replayed: true`. Error responses are not stored. */
        IdempotencyKeyParameter: string;
        /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
        IfMatchParameter: string;
        /** @description The `ETag` of the version that the client has, or a list of them. If the resource still has this version, the response is 304. */
        IfNoneMatchParameter: string;
        /**
         * @description The id of the membership.
         * @example e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86
         */
        MembershipIdParameter: string;
        /** @description The status of a membership. */
        MembershipStatusParameter: "pending" | "active" | "blocked";
        /** @description Returns only items whose name contains this text. Case-insensitive. */
        NameSearchParameter: string;
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
         * @description The id of the user.
         * @example b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24
         */
        UserIdParameter: string;
        /**
         * @description The id of the webhook.
         * @example f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39
         */
        WebhookIdParameter: string;
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    listAccountMembers: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
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
                    "application/json": components["schemas"]["MembershipList"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description Returns only entries of this action. */
                action?: string;
                /** @description Returns only actions of this actor. */
                actorId?: string;
                /** @description Who acted: `service` is a client, `server` the process itself or its operator. */
                actorType?: components["parameters"]["ActorTypeParameter"];
                /** @description Returns only entries of this time and later. */
                from?: string;
                /** @description The outcome. */
                outcome?: components["parameters"]["AuditOutcomeParameter"];
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
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
                    "application/json": components["schemas"]["AuditEntryList"];
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
                type?: components["schemas"]["EventType"] | components["schemas"]["EventType"][];
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
    listMemberships: {
        parameters: {
            query?: {
                accountId?: string;
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "user": {
                     *         "id": "b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24",
                     *         "email": "ana@acme.example"
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
    listSessions: {
        parameters: {
            query?: {
                accountId?: string;
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
    listSystems: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose name contains this text. Case-insensitive. */
                search?: components["parameters"]["NameSearchParameter"];
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
                     *           "securityProfile": null,
                     *           "backchannelLogoutUri": null,
                     *           "introspectableBy": [],
                     *           "branding": {
                     *             "color": "#336699"
                     *           },
                     *           "idTokenAlg": "RS256",
                     *           "requireAdminActivation": false,
                     *           "allowDeviceFlow": false,
                     *           "requireEmailOtp": false,
                     *           "requireMfa": false,
                     *           "skipConsent": false,
                     *           "accountAdminApi": true,
                     *           "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
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
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "introspectableBy": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
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
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "introspectableBy": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": false,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "securityProfile": null,
                     *       "backchannelLogoutUri": null,
                     *       "introspectableBy": [],
                     *       "branding": {
                     *         "color": "#336699"
                     *       },
                     *       "idTokenAlg": "RS256",
                     *       "requireAdminActivation": false,
                     *       "allowDeviceFlow": false,
                     *       "requireEmailOtp": false,
                     *       "requireMfa": true,
                     *       "skipConsent": false,
                     *       "accountAdminApi": true,
                     *       "founderRoleId": "7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20",
                     *       "platform": false,
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
                 *       "name": "Acme"
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
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    listProfiles: {
        parameters: {
            query?: {
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
                     *       "total": 1
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
    listWebhooks: {
        parameters: {
            query?: {
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
                     *       "total": 1
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description The status of a delivery. */
                status?: components["parameters"]["DeliveryStatusParameter"];
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
                     *           ]
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 20,
                     *       "total": 1
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryList"];
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
                /** @description Returns only the user with this email address, which is converted to its stored form. */
                email?: string;
                /** @description The number of the page, from 1. A page after the last one is empty. */
                page?: components["parameters"]["PageParameter"];
                /** @description The number of items on a page. A value above 100 is treated as 100. */
                pageSize?: components["parameters"]["PageSizeParameter"];
                /** @description Returns only items whose email address contains this text. Case-insensitive. */
                search?: components["parameters"]["EmailSearchParameter"];
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
                     *       "total": 1
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
                /** @description The `ETag` of the version to change, or a list of them. If the resource has another version, it is not changed and the response is 412 `version_conflict`. */
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
                     *       "blocks": [],
                     *       "personalAccounts": [],
                     *       "sessions": [],
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
}
