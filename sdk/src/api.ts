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
         * Get account
         * @description Authority: platform, system, account.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update account
         * @description Authority: platform, system.
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
         * List account members
         * @description Authority: platform, system, account.
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
         * Get audit
         * @description Authority: platform, system, account.
         */
        get: operations["getAudit"];
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
         * @description Authority: platform, system.
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
         * @description Authority: platform, system, account.
         */
        get: operations["listMemberships"];
        put?: never;
        /**
         * Create membership
         * @description Authority: platform, system (with `multiAccount` only), account (into its own account, with `multiAccount` only).
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
         * Get membership
         * @description Authority: platform, system, account.
         */
        get: operations["getMembership"];
        put?: never;
        post?: never;
        /**
         * Delete membership
         * @description Authority: platform, system, account (its own account, which must keep an admin).
         */
        delete: operations["deleteMembership"];
        options?: never;
        head?: never;
        /**
         * Update membership
         * @description Authority: platform, system, account (its own account, which must keep an admin).
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
         * Update membership profiles
         * @description Authority: platform, system, account.
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
         * Update membership roles
         * @description Authority: platform, system, account (its own account, which must keep an admin).
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
         * @description Authority: platform, system, account.
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
         * Delete session
         * @description Authority: platform, system, account.
         */
        delete: operations["deleteSession"];
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
         * Delete sessions by system
         * @description Authority: platform, system.
         */
        delete: operations["deleteSessionsBySystem"];
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
         * Delete sessions by user
         * @description Authority: platform, system, account.
         */
        delete: operations["deleteSessionsByUser"];
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
         * @description Authority: platform, system.
         */
        get: operations["listSystems"];
        put?: never;
        /**
         * Create system
         * @description Authority: platform.
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
         * Get system
         * @description Authority: platform, system.
         */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        /**
         * Delete system
         * @description Authority: platform.
         */
        delete: operations["deleteSystem"];
        options?: never;
        head?: never;
        /**
         * Update system
         * @description Authority: platform, system (all but `multiAccount`, `skipConsent` and `allowClientCredentials`).
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
         * List system accounts
         * @description Authority: platform, system, account.
         */
        get: operations["listSystemAccounts"];
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
         * List system profiles
         * @description Authority: platform, system, account.
         */
        get: operations["listSystemProfiles"];
        put?: never;
        /**
         * Create system profile
         * @description Authority: platform, system.
         */
        post: operations["createSystemProfile"];
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
         * Get system profile
         * @description Authority: platform, system, account.
         */
        get: operations["getSystemProfile"];
        put?: never;
        post?: never;
        /**
         * Delete system profile
         * @description Authority: platform, system.
         */
        delete: operations["deleteSystemProfile"];
        options?: never;
        head?: never;
        /**
         * Update system profile
         * @description Authority: platform, system.
         */
        patch: operations["updateSystemProfile"];
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
         * List system roles
         * @description Authority: platform, system, account.
         */
        get: operations["listSystemRoles"];
        put?: never;
        /**
         * Create system role
         * @description Authority: platform, system.
         */
        post: operations["createSystemRole"];
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
         * Delete system role
         * @description Authority: platform, system.
         */
        delete: operations["deleteSystemRole"];
        options?: never;
        head?: never;
        /**
         * Update system role
         * @description Authority: platform, system.
         */
        patch: operations["updateSystemRole"];
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
         * Rotate secret of system
         * @description Authority: platform, system.
         */
        post: operations["rotateSecretOfSystem"];
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
         * List system webhooks
         * @description Authority: platform, system.
         */
        get: operations["listSystemWebhooks"];
        put?: never;
        /**
         * Create system webhook
         * @description Authority: platform, system.
         */
        post: operations["createSystemWebhook"];
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
         * Get system webhook
         * @description Authority: platform, system.
         */
        get: operations["getSystemWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete system webhook
         * @description Authority: platform, system.
         */
        delete: operations["deleteSystemWebhook"];
        options?: never;
        head?: never;
        /**
         * Update system webhook
         * @description Authority: platform, system.
         */
        patch: operations["updateSystemWebhook"];
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
         * List system webhook deliveries
         * @description Authority: platform, system.
         */
        get: operations["listSystemWebhookDeliveries"];
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
         * Resend of system webhook delivery
         * @description Authority: platform, system.
         */
        post: operations["resendOfSystemWebhookDelivery"];
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
         * Resend of system webhook
         * @description Authority: platform, system.
         */
        post: operations["resendOfSystemWebhook"];
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
         * Rotate secret of system webhook
         * @description Authority: platform, system.
         */
        post: operations["rotateSecretOfSystemWebhook"];
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
         * Test of system webhook
         * @description Authority: platform, system.
         */
        post: operations["testOfSystemWebhook"];
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
         * @description Authority: platform, system (its members; of anybody else, named by the whole address, only `id` and `email`).
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create user
         * @description Authority: platform, system (anybody new; it reaches them once they are its members).
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
         * Get user
         * @description Authority: platform, system.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete user
         * @description Authority: platform.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update user
         * @description Authority: platform, system (those it manages: members of it and of nothing else).
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
         * Disable mfa of user
         * @description Removes authenticator apps, passkeys and recovery codes, and signs the user out everywhere: who has lost a factor may have lost it to somebody. Where none is enrolled nothing happens. Authority: platform, system (those it manages: members of it and of nothing else).
         */
        post: operations["disableMfaOfUser"];
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
         * Export what is held of a user
         * @description Of sessions, audit, mails and links the newest 10,000 each. Authority: platform, system (those it manages: members of it and of nothing else).
         */
        get: operations["exportOfUser"];
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
         * Resend verification of user
         * @description Mails a link, good for 24 hours and once, by which the user confirms the address. It takes the place of earlier ones. Three such mails in 15 minutes and ten in a day go to an address, by whichever way they are asked for. Authority: platform, system (those it manages: members of it and of nothing else).
         */
        post: operations["resendVerificationOfUser"];
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
         * Reset password of user
         * @description Authority: platform, system (those it manages: members of it and of nothing else).
         */
        post: operations["resetPasswordOfUser"];
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
         * Send password reset of user
         * @description Mails a link, good for 30 minutes and once, where the user chooses a password. It takes the place of earlier ones. Three such mails in 15 minutes and ten in a day go to an address, by whichever way they are asked for. Authority: platform, system (those it manages: members of it and of nothing else).
         */
        post: operations["sendPasswordResetOfUser"];
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
         * Set password of user
         * @description Authority: platform, system (those it manages: members of it and of nothing else).
         */
        post: operations["setPasswordOfUser"];
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
         * Delete user social
         * @description Unlinks the user from another identity provider. Sessions that are open stay open. Authority: platform, system (those it manages: members of it and of nothing else).
         */
        delete: operations["deleteUserSocial"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @enum {unknown} */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /** @enum {unknown} */
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
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the e-mail address, in any letter case. */
                search?: string;
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                            /** @enum {unknown} */
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    getAudit: {
        parameters: {
            query?: {
                accountId?: string;
                action?: string;
                actorId?: string;
                actorType?: "user" | "service" | "anonymous" | "server";
                /** @description This moment and later. */
                from?: string;
                outcome?: "success" | "failure";
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            accountId: string | null;
                            /** @description `noun.verb` in the past: `membership.blocked`. */
                            action: string;
                            actor: {
                                id: string | null;
                                ip: string | null;
                                /** @enum {unknown} */
                                type: "user" | "service" | "anonymous" | "server";
                                userAgent: string | null;
                            };
                            /** @description Of each field the old and the new value. */
                            changes: {
                                [key: string]: unknown[];
                            };
                            /** Format: uuid */
                            id: string;
                            /** @enum {unknown} */
                            outcome: "success" | "failure";
                            requestId: string | null;
                            systemId: string | null;
                            target: {
                                id: string | null;
                                type: string | null;
                            };
                            /** Format: date-time */
                            time: string;
                        }[];
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                            /** @enum {unknown} */
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
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the e-mail address, in any letter case. */
                search?: string;
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                            /** @enum {unknown} */
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
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
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    accountId?: string;
                    accountName?: string;
                    profiles?: string[];
                    roles?: string[];
                    /** @enum {unknown} */
                    status?: "pending" | "active" | "blocked";
                    /** Format: uuid */
                    systemId?: string;
                    /** Format: uuid */
                    userId: string;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        /** @enum {unknown} */
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
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        /** @enum {unknown} */
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
            /** @description Done; there is nothing to say. */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    status: "pending" | "active" | "blocked";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        /** @enum {unknown} */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    add?: string[];
                    profiles?: string[];
                    remove?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        /** @enum {unknown} */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                membershipId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    add?: string[];
                    remove?: string[];
                    roles?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        /** @enum {unknown} */
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
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                systemId?: string;
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    deleteSession: {
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteSessionsBySystem: {
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many sessions were alive until now. */
                        ended: number;
                    };
                };
            };
        };
    };
    deleteSessionsByUser: {
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the name, in any letter case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            allowClientCredentials: boolean;
                            allowedScopes: string[];
                            allowSelfRegister: boolean;
                            backchannelLogoutUri: string | null;
                            branding: {
                                color?: string;
                                /** @description An https address. */
                                logoUrl?: string;
                            };
                            clientId: string;
                            /** @enum {unknown} */
                            clientType: "confidential" | "public";
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /**
                             * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                             * @enum {unknown}
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
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
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowClientCredentials?: boolean;
                    /** @description Contains `openid`: every sign-in is an OpenID Connect one. */
                    allowedScopes?: ("openid" | "email" | "profile" | "offline_access")[];
                    allowSelfRegister?: boolean;
                    backchannelLogoutUri?: string | null;
                    branding?: {
                        color?: string;
                        /** @description An https address. */
                        logoUrl?: string;
                    };
                    /** @enum {unknown} */
                    clientType?: "confidential" | "public";
                    /**
                     * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                     * @enum {unknown}
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
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        clientSecret?: string;
                        /** @enum {unknown} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {unknown}
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
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        /** @enum {unknown} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {unknown}
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
            /** @description Done; there is nothing to say. */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowClientCredentials?: boolean;
                    /** @description Contains `openid`: every sign-in is an OpenID Connect one. */
                    allowedScopes?: ("openid" | "email" | "profile" | "offline_access")[];
                    allowSelfRegister?: boolean;
                    backchannelLogoutUri?: string | null;
                    branding?: {
                        color?: string;
                        /** @description An https address. */
                        logoUrl?: string;
                    };
                    /**
                     * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                     * @enum {unknown}
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        allowClientCredentials: boolean;
                        allowedScopes: string[];
                        allowSelfRegister: boolean;
                        backchannelLogoutUri: string | null;
                        branding: {
                            color?: string;
                            /** @description An https address. */
                            logoUrl?: string;
                        };
                        clientId: string;
                        /** @enum {unknown} */
                        clientType: "confidential" | "public";
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description Signs its ID tokens. Default RS256; access tokens are always ES256.
                         * @enum {unknown}
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
    listSystemAccounts: {
        parameters: {
            query?: {
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the name, in any letter case. */
                search?: string;
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: uuid */
                            id: string;
                            /** @enum {unknown} */
                            kind: "personal" | "organization";
                            /** @description Memberships of any status. */
                            memberCount: number;
                            name: string;
                            /** Format: uuid */
                            systemId: string;
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    listSystemProfiles: {
        parameters: {
            query?: {
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the name, in any letter case. */
                search?: string;
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description Yours to fill; replaced as a whole. */
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createSystemProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Yours to fill; replaced as a whole. */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    description?: string | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Yours to fill; replaced as a whole. */
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
    getSystemProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                profileId: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Yours to fill; replaced as a whole. */
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
    deleteSystemProfile: {
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSystemProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                profileId: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Yours to fill; replaced as a whole. */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    description?: string | null;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Yours to fill; replaced as a whole. */
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
    listSystemRoles: {
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        isAdmin: boolean;
                        name: string;
                        scopes: string[];
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                    }[];
                };
            };
        };
    };
    createSystemRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    isAdmin?: boolean;
                    name: string;
                    scopes?: string[];
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        isAdmin: boolean;
                        name: string;
                        scopes: string[];
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    deleteSystemRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                roleId: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSystemRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                roleId: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    isAdmin?: boolean;
                    name?: string;
                    scopes?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: uuid */
                        id: string;
                        isAdmin: boolean;
                        name: string;
                        scopes: string[];
                        /** Format: uuid */
                        systemId: string;
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
        };
    };
    rotateSecretOfSystem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the old secret stays good, and the service tokens that were got by it: also the one of this request. Default 0. */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        clientId: string;
                        clientSecret: string;
                    };
                };
            };
        };
    };
    listSystemWebhooks: {
        parameters: {
            query?: {
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
            };
            header?: never;
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            createdAt: string;
                            disabledReason: ("gone" | "failing") | null;
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    createSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabledReason: ("gone" | "failing") | null;
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
    getSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabledReason: ("gone" | "failing") | null;
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
    deleteSystemWebhook: {
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        createdAt: string;
                        disabledReason: ("gone" | "failing") | null;
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
    listSystemWebhookDeliveries: {
        parameters: {
            query?: {
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The newest 20, oldest first. */
                            attempts: {
                                answer?: string | null;
                                durationMs: number;
                                error: string | null;
                                status: number | null;
                                /** Format: date-time */
                                time: string;
                            }[];
                            /** Format: uuid */
                            eventId: string;
                            finishedAt: string | null;
                            /** Format: uuid */
                            id: string;
                            nextAttemptAt: string | null;
                            /** @enum {unknown} */
                            status: "pending" | "delivered" | "failed";
                            /**
                             * Format: date-time
                             * @description Of the event.
                             */
                            timestamp: string;
                            type: string;
                        }[];
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
                        total: number;
                    };
                };
            };
        };
    };
    resendOfSystemWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
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
            /** @description Taken; it will be done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Deliveries that are on their way again. */
                        queued: number;
                    };
                };
            };
        };
    };
    resendOfSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A cursor of the log of events, the id of an event, or a moment. */
                    after: string;
                };
            };
        };
        responses: {
            /** @description Taken; it will be done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        /** @description Deliveries that are on their way again. */
                        queued: number;
                    };
                };
            };
        };
    };
    rotateSecretOfSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the old secret signs too. Default 0. */
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        secret: string;
                    };
                };
            };
        };
    };
    testOfSystemWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                systemId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken; it will be done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                page?: number;
                /** @description More than 100 is cut to 100. */
                pageSize?: number;
                /** @description A part of the e-mail address, in any letter case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                            lastLoginAt: string | null;
                            locale: string | null;
                            /** @description Yours to fill; replaced as a whole. */
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
                        page: number;
                        pageSize: number;
                        /** @description How many there are: exact up to 10,000 and on the last page. Where there are more, a number above 10,000 that is always larger than what the pages so far hold, so that `page * pageSize < total` says whether there is a next page. */
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
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    emailVerified?: boolean;
                    familyName?: string | null;
                    givenName?: string | null;
                    locale?: string | null;
                    /** @description Yours to fill; replaced as a whole. */
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
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Yours to fill; replaced as a whole. */
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
                /** @description The `ETag` of the version the caller has, or a list of them. */
                "If-None-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Yours to fill; replaced as a whole. */
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
            /** @description Done; there is nothing to say. */
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
                /** @description The `ETag` of the version to change, or a list of them: the resource is left as it is if it has another by now. */
                "If-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled?: boolean;
                    email?: string;
                    emailVerified?: boolean;
                    familyName?: string | null;
                    givenName?: string | null;
                    locale?: string | null;
                    /** @description Yours to fill; replaced as a whole. */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Yours to fill; replaced as a whole. */
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
    disableMfaOfUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Yours to fill; replaced as a whole. */
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
    exportOfUser: {
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
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        audit: {
                            accountId: string | null;
                            action: string;
                            actorId: string | null;
                            actorType: string;
                            changes: {
                                [key: string]: unknown;
                            };
                            ip: string | null;
                            outcome: string;
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
                                confirmedAt: string | null;
                                /** Format: date-time */
                                createdAt: string;
                            }[];
                            passkeys: {
                                backedUp: boolean;
                                /** Format: date-time */
                                createdAt: string;
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
                            lastLoginAt: string | null;
                            provider: string;
                            subject: string;
                        }[];
                        links: {
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
                            lastLoginAt: string | null;
                            locale: string | null;
                            /** @description Yours to fill; replaced as a whole. */
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
    resendVerificationOfUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken; it will be done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    resetPasswordOfUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Shown once. Good for 72 hours; the sign-in with it asks for another one. */
                        temporaryPassword: string;
                    };
                };
            };
        };
    };
    sendPasswordResetOfUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken; it will be done soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
        };
    };
    setPasswordOfUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: within 24 hours the same request under the same key happens once, and every repeat gets the answer of the first, with `Idempotency-Replayed: true`. A refusal is not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether the next sign-in asks for another one. Default false. */
                    mustChangePassword?: boolean;
                    /** @description From PASSWORD_MIN_LENGTH to 128 characters after NFC. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
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
                        lastLoginAt: string | null;
                        locale: string | null;
                        /** @description Yours to fill; replaced as a whole. */
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
    deleteUserSocial: {
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
