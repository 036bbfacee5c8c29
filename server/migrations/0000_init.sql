CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"personal_of" uuid,
	"awaits_member" boolean DEFAULT false NOT NULL,
	"members_visible" boolean DEFAULT true NOT NULL,
	"accept_other_address" boolean DEFAULT false NOT NULL,
	"suspended_by" text[] DEFAULT '{}' NOT NULL,
	"require_mfa_by" text[] DEFAULT '{}' NOT NULL,
	"sso_required_by" text,
	"sso_self_service" boolean DEFAULT false NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"external_id" text,
	"branding" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "personal_account_taken" UNIQUE("system_id","personal_of"),
	CONSTRAINT "accounts_of_system" UNIQUE("system_id","id"),
	CONSTRAINT "external_id_taken" UNIQUE("system_id","external_id"),
	CONSTRAINT "accounts_personal" CHECK (("accounts"."kind" = 'personal') = ("accounts"."personal_of" is not null)),
	CONSTRAINT "accounts_require_mfa" CHECK ("accounts"."require_mfa_by" <@ array['platform','system','account']),
	CONSTRAINT "accounts_sso_required" CHECK ("accounts"."sso_required_by" in ('platform','system','account')),
	CONSTRAINT "accounts_suspended" CHECK ("accounts"."suspended_by" <@ array['platform','system'])
);
--> statement-breakpoint
CREATE TABLE "activity" (
	"system_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"day" date NOT NULL,
	"days" bigint NOT NULL,
	CONSTRAINT "activity_system_id_user_id_pk" PRIMARY KEY("system_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "artifacts" (
	"model" text NOT NULL,
	"id_hash" "bytea" NOT NULL,
	"sid" text,
	"user_id" uuid,
	"uid_hash" "bytea",
	"user_code_hash" "bytea",
	"payload" jsonb NOT NULL,
	"consumed_at" timestamp with time zone,
	"successor" "bytea",
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "artifacts_model_id_hash_pk" PRIMARY KEY("model","id_hash")
);
--> statement-breakpoint
CREATE TABLE "asked_addresses" (
	"system_id" uuid NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"asked" integer NOT NULL,
	"is_recorded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "asked_addresses_system_id_hour_pk" PRIMARY KEY("system_id","hour")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"time" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"action" text NOT NULL,
	"outcome" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text,
	"actor_ip" text,
	"actor_user_agent" text,
	"actor_via" text,
	"actor_authority" text,
	"target_type" text,
	"target_id" text,
	"system_id" uuid,
	"account_id" uuid,
	"changes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"request_id" text,
	"stamp" "bytea"
);
--> statement-breakpoint
CREATE TABLE "audit_blocks" (
	"number" bigint PRIMARY KEY NOT NULL,
	"previous" "bytea" NOT NULL,
	"oldest" bigint NOT NULL,
	"entries" integer NOT NULL,
	"root" "bytea" NOT NULL,
	"newest_time" timestamp with time zone,
	"closed_at" timestamp with time zone NOT NULL,
	"hash" "bytea" NOT NULL,
	"checkpoint" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_head" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"statement" text NOT NULL,
	CONSTRAINT "audit_head_single" CHECK ("audit_head"."id")
);
--> statement-breakpoint
CREATE TABLE "audit_links" (
	"entry_id" uuid PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL,
	"position" integer NOT NULL,
	"hash" "bytea" NOT NULL,
	"changes_salt" "bytea",
	"changes_hash" "bytea",
	"sender_salt" "bytea",
	"sender_hash" "bytea",
	"erased_for" uuid
);
--> statement-breakpoint
CREATE TABLE "background_jobs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"system_id" uuid,
	"target_type" text NOT NULL,
	"target_id" text NOT NULL,
	"actor" jsonb,
	"parameters" jsonb,
	"cursor" jsonb,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"next_batch_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "blocks" (
	"user_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"set_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blocks_account_id_user_id_pk" PRIMARY KEY("account_id","user_id"),
	CONSTRAINT "blocks_authority" UNIQUE("account_id","user_id","set_by"),
	CONSTRAINT "blocks_set_by" CHECK ("blocks"."set_by" in ('platform', 'system', 'account'))
);
--> statement-breakpoint
CREATE TABLE "connection_attempts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"connection_id" uuid NOT NULL,
	"time" timestamp with time zone DEFAULT now() NOT NULL,
	"outcome" text NOT NULL,
	"code" text,
	"subject" text,
	"email" text,
	"request_id" text,
	CONSTRAINT "connection_attempts_outcome" CHECK ("connection_attempts"."outcome" in ('signed_in', 'tested', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "connection_links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"email" text NOT NULL,
	"groups" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "link_taken" UNIQUE("connection_id","subject"),
	CONSTRAINT "link_exists" UNIQUE("connection_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "connection_roles" (
	"connection_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"is_admin" boolean NOT NULL,
	CONSTRAINT "connection_roles_connection_id_role_id_pk" PRIMARY KEY("connection_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "connections" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"set_by" text NOT NULL,
	"enabled" boolean DEFAULT false NOT NULL,
	"issuer" text,
	"subject_attribute" text,
	"client_id" text,
	"sealed_secret" "bytea",
	"secret_expires_at" timestamp with time zone,
	"sso_url" text,
	"certificates" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"metadata_url" text,
	"metadata_read_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"certificate_notice" integer,
	"scopes" text[] DEFAULT '{"openid","email","profile"}' NOT NULL,
	"required_claims" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"closed_issuer" boolean DEFAULT false NOT NULL,
	"reserved_roles" boolean DEFAULT false NOT NULL,
	"mfa" text,
	"mfa_acr" text[] DEFAULT '{}' NOT NULL,
	"reauthentication" text DEFAULT 'stated' NOT NULL,
	"group_attribute" text,
	"jit" boolean DEFAULT false NOT NULL,
	"session_hours" integer DEFAULT 24 NOT NULL,
	"proofs_after" timestamp with time zone,
	"links_after" timestamp with time zone,
	"configured_at" timestamp with time zone DEFAULT now() NOT NULL,
	"test_hash" "bytea",
	"test_browser_hash" "bytea",
	"test_requested_by" uuid,
	"test_expires_at" timestamp with time zone,
	"tested_at" timestamp with time zone,
	"tested_by" uuid,
	"last_used_at" timestamp with time zone,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connection_exists" UNIQUE("account_id","name"),
	CONSTRAINT "connections_of_system" UNIQUE("system_id","id"),
	CONSTRAINT "connections_of_account" UNIQUE("account_id","id"),
	CONSTRAINT "connections_kind" CHECK ("connections"."kind" in ('oidc', 'saml')),
	CONSTRAINT "connections_set_by" CHECK ("connections"."set_by" in ('platform', 'system', 'account')),
	CONSTRAINT "connections_subject" CHECK ("connections"."kind" = 'saml' or ("connections"."subject_attribute" is not null and "connections"."subject_attribute" in ('sub', 'oid'))),
	CONSTRAINT "connections_mfa" CHECK ("connections"."mfa" in ('reported', 'trusted')),
	CONSTRAINT "connections_reauthentication" CHECK ("connections"."reauthentication" in ('stated', 'unconfirmed')),
	CONSTRAINT "connections_session_hours" CHECK ("connections"."session_hours" between 1 and 720),
	CONSTRAINT "connections_enabled" CHECK (not "connections"."enabled" or "connections"."tested_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"user_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"scopes" text[] NOT NULL,
	"claims" text[] DEFAULT '{}' NOT NULL,
	"granted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "consents_user_id_account_id_pk" PRIMARY KEY("user_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"hour" timestamp with time zone NOT NULL,
	"system_id" uuid NOT NULL,
	"name" text NOT NULL,
	"key" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "counters_system_id_name_hour_key_pk" PRIMARY KEY("system_id","name","hour","key")
);
--> statement-breakpoint
CREATE TABLE "daily" (
	"day" date NOT NULL,
	"system_id" uuid NOT NULL,
	"name" text NOT NULL,
	"key" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "daily_system_id_name_day_key_pk" PRIMARY KEY("system_id","name","day","key")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_seq" bigint NOT NULL,
	"ordered_by" uuid NOT NULL,
	"urgency" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "deliveries_once" UNIQUE("webhook_id","event_seq")
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"delivery_id" uuid NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"error" text,
	"answer" text
);
--> statement-breakpoint
CREATE TABLE "domains" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"subdomains" boolean DEFAULT false NOT NULL,
	"set_by" text NOT NULL,
	"word" text NOT NULL,
	"token" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"outcome" text,
	"found" jsonb,
	"checked_at" timestamp with time zone,
	"verified_at" timestamp with time zone,
	"missing_since" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"checks" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "domain_exists" UNIQUE("account_id","name"),
	CONSTRAINT "domains_set_by" CHECK ("domains"."set_by" in ('platform', 'system', 'account')),
	CONSTRAINT "domains_status" CHECK ("domains"."status" in ('pending', 'verified', 'lapsed')),
	CONSTRAINT "domains_verified_at" CHECK (("domains"."status" = 'pending') = ("domains"."verified_at" is null))
);
--> statement-breakpoint
CREATE TABLE "email_texts" (
	"system_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"locale" text NOT NULL,
	"set_by" text NOT NULL,
	"subject" text,
	"heading" text,
	"paragraphs" jsonb,
	"button" text,
	"footer" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_texts_system_id_kind_locale_pk" PRIMARY KEY("system_id","kind","locale"),
	CONSTRAINT "email_texts_set_by" CHECK ("email_texts"."set_by" in ('platform', 'system'))
);
--> statement-breakpoint
CREATE TABLE "event_log" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"newest" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_log_single" CHECK ("event_log"."id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"position" bigint,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"type" text NOT NULL,
	"time" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"system_id" uuid,
	"copy" boolean DEFAULT false NOT NULL,
	"account_id" uuid,
	"user_id" uuid,
	"membership_id" uuid,
	"data" jsonb NOT NULL,
	CONSTRAINT "events_id" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"owner" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"status" integer,
	"sealed_answer" "bytea",
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_owner_key_pk" PRIMARY KEY("owner","key")
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"provider" text NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_login_at" timestamp with time zone,
	CONSTRAINT "identity_taken" UNIQUE NULLS NOT DISTINCT("issuer","subject","system_id"),
	CONSTRAINT "identity_linked" UNIQUE NULLS NOT DISTINCT("user_id","issuer","system_id")
);
--> statement-breakpoint
CREATE TABLE "images" (
	"hash" text PRIMARY KEY NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid,
	"kind" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "images_place" UNIQUE NULLS NOT DISTINCT("system_id","account_id","kind"),
	CONSTRAINT "images_kind" CHECK ("images"."kind" in ('logo', 'logo-dark', 'favicon'))
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_proof" "bytea" NOT NULL,
	"sealed_hash_root" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_single" CHECK ("installation"."id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"roles" uuid[] NOT NULL,
	"profiles" uuid[] NOT NULL,
	"message" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"link_hash" "bytea" NOT NULL,
	"mailed" boolean NOT NULL,
	"lifetime" integer NOT NULL,
	"sends" integer NOT NULL,
	"last_sent_at" timestamp with time zone,
	"added_by" text NOT NULL,
	"invited_by" uuid,
	"accepted_by" uuid,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invitations_link" UNIQUE("link_hash"),
	CONSTRAINT "invitations_status" CHECK ("invitations"."status" in ('pending', 'accepted', 'declined', 'revoked', 'expired')),
	CONSTRAINT "invitations_added_by" CHECK ("invitations"."added_by" in ('platform', 'system', 'account'))
);
--> statement-breakpoint
CREATE TABLE "kept_decisions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"address_hash" "bytea" NOT NULL,
	"user_id" uuid,
	"system_id" uuid NOT NULL,
	"account_id" uuid,
	"kind" text NOT NULL,
	"set_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "kept_decisions_once" UNIQUE NULLS NOT DISTINCT("address_hash","system_id","account_id","kind"),
	CONSTRAINT "kept_decisions_kind" CHECK ("kept_decisions"."kind" in ('disabled', 'blocked')),
	CONSTRAINT "kept_decisions_set_by" CHECK ("kept_decisions"."set_by" in ('platform', 'system'))
);
--> statement-breakpoint
CREATE TABLE "limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint,
	"user_id" uuid,
	"system_id" uuid
);
--> statement-breakpoint
CREATE TABLE "logout_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"sid" text NOT NULL,
	"user_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"alg" text NOT NULL,
	"uri" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"recipient" text NOT NULL,
	"user_id" uuid,
	"tenant" text NOT NULL,
	"is_awaited" boolean NOT NULL,
	"sealed_message" "bytea",
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "membership_profiles" (
	"membership_id" uuid NOT NULL,
	"profile_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	CONSTRAINT "membership_profiles_membership_id_profile_id_pk" PRIMARY KEY("membership_id","profile_id")
);
--> statement-breakpoint
CREATE TABLE "membership_roles" (
	"membership_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"active" boolean NOT NULL,
	"is_admin" boolean NOT NULL,
	CONSTRAINT "membership_roles_membership_id_role_id_pk" PRIMARY KEY("membership_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"status" text NOT NULL,
	"exclusive" boolean NOT NULL,
	"added_by" text NOT NULL,
	"blocked_by" text,
	"activated_at" timestamp with time zone,
	"email" text NOT NULL,
	"confirm_entry" boolean DEFAULT false NOT NULL,
	"sso_exempt_by" text,
	"sso_exempt_at" timestamp with time zone,
	"stated" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"stated_email" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "membership_exists" UNIQUE("account_id","user_id"),
	CONSTRAINT "memberships_of_system" UNIQUE("system_id","id"),
	CONSTRAINT "memberships_status" CHECK ("memberships"."status" in ('pending', 'active', 'blocked')),
	CONSTRAINT "memberships_blocked_by" CHECK (("memberships"."status" = 'blocked') = ("memberships"."blocked_by" is not null)),
	CONSTRAINT "memberships_added_by" CHECK ("memberships"."added_by" in ('platform', 'system', 'account', 'user')),
	CONSTRAINT "memberships_sso_exempt" CHECK ("memberships"."sso_exempt_by" in ('platform','system','account')),
	CONSTRAINT "memberships_sso_exempt_at" CHECK (("memberships"."sso_exempt_by" is null) = ("memberships"."sso_exempt_at" is null))
);
--> statement-breakpoint
CREATE TABLE "migrations" (
	"number" integer PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"version" text NOT NULL,
	"cursor" text,
	"filled" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "one_time_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"purpose" text NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"email" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"interaction_hash" "bytea",
	"tries_left" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"consumed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "one_time_tokens_hash" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"level" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "operator_exists" UNIQUE NULLS NOT DISTINCT("user_id","system_id"),
	CONSTRAINT "operators_level" CHECK ("operators"."level" in ('admin', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"backed_up" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkey_taken" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "passwords" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"hash" text NOT NULL,
	"must_change" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "password_taken" UNIQUE NULLS NOT DISTINCT("user_id","system_id")
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"newest" integer NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "profile_name_taken" UNIQUE("system_id","name"),
	CONSTRAINT "profiles_of_system" UNIQUE("system_id","id")
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"hash" "bytea" NOT NULL,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recovery_codes_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "registrations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"name" text,
	"locale" text,
	"account_name" text,
	"interaction_hash" "bytea" NOT NULL,
	"code_hash" "bytea",
	"link_hash" "bytea",
	"tries_left" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"consumed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "registrations_link" UNIQUE("link_hash")
);
--> statement-breakpoint
CREATE TABLE "revoked_tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"name" text NOT NULL,
	"is_admin" boolean DEFAULT false NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"assignable_by_account_admins" boolean DEFAULT true NOT NULL,
	"can_act_for_members" boolean DEFAULT false NOT NULL,
	"is_founder" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "role_name_taken" UNIQUE("system_id","name"),
	CONSTRAINT "roles_of_system" UNIQUE("system_id","id","is_admin"),
	CONSTRAINT "roles_acting" CHECK (not ("roles"."can_act_for_members" and ("roles"."assignable_by_account_admins" or "roles"."is_founder")))
);
--> statement-breakpoint
CREATE TABLE "service_account_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"service_account_id" uuid NOT NULL,
	"secret_hash" text NOT NULL,
	"hint" text NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_account_keys_secret" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "service_account_roles" (
	"service_account_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"is_admin" boolean NOT NULL,
	CONSTRAINT "service_account_roles_service_account_id_role_id_pk" PRIMARY KEY("service_account_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "service_accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"name" text NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_accounts_client_id" UNIQUE("client_id"),
	CONSTRAINT "service_accounts_of_system" UNIQUE("system_id","id")
);
--> statement-breakpoint
CREATE TABLE "session_ends" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"system_id" uuid,
	"account_id" uuid,
	"membership_id" uuid,
	"user_id" uuid,
	"connection_id" uuid,
	"without_connection" boolean DEFAULT false NOT NULL,
	"before" timestamp with time zone NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "session_ends_of_one" CHECK (coalesce("session_ends"."system_id", "session_ends"."account_id", "session_ends"."membership_id", "session_ends"."user_id", "session_ends"."connection_id") is not null)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"system_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"membership_id" uuid NOT NULL,
	"browser_uid" text,
	"grant" jsonb NOT NULL,
	"acr" text,
	"amr" text[] DEFAULT '{}' NOT NULL,
	"own_credentials" boolean DEFAULT false NOT NULL,
	"connection_id" uuid,
	"ip" text,
	"user_agent" text,
	"actor_sid" text,
	"actor_id" uuid,
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"end_reason" text,
	CONSTRAINT "sessions_acting" CHECK (("sessions"."actor_sid" is null) = ("sessions"."actor_id" is null))
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"alg" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed_private_jwk" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"active_from" timestamp with time zone NOT NULL,
	"retired_from" timestamp with time zone,
	"remove_from" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "stated_addresses" (
	"user_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"email" text NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "stated_addresses_user_id_system_id_pk" PRIMARY KEY("user_id","system_id")
);
--> statement-breakpoint
CREATE TABLE "system_ids" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "system_users" (
	"user_id" uuid NOT NULL,
	"system_id" uuid NOT NULL,
	"email" text NOT NULL,
	"profile" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"proofs_after" timestamp with time zone,
	"factors_after" timestamp with time zone,
	"entered_at" timestamp with time zone,
	"created_by_system" boolean DEFAULT false NOT NULL,
	"created_by_account" uuid,
	"last_login_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_in_system" PRIMARY KEY("user_id","system_id"),
	CONSTRAINT "system_users_address" UNIQUE("user_id","system_id","email")
);
--> statement-breakpoint
CREATE TABLE "systems" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"client_id" text NOT NULL,
	"client_type" text DEFAULT 'confidential' NOT NULL,
	"secret_hash" text,
	"previous_secret_hash" text,
	"previous_secret_until" timestamp with time zone,
	"configured_secret_hash" text,
	"token_endpoint_auth_method" text DEFAULT 'client_secret' NOT NULL,
	"jwks" jsonb,
	"jwks_uri" text,
	"require_signed_request_object" boolean DEFAULT false NOT NULL,
	"require_pkce" boolean DEFAULT true NOT NULL,
	"access_token_type" text DEFAULT 'at+jwt' NOT NULL,
	"access_token_alg" text DEFAULT 'ES256' NOT NULL,
	"security_profile" text,
	"redirect_uris" text[] DEFAULT '{}' NOT NULL,
	"post_logout_redirect_uris" text[] DEFAULT '{}' NOT NULL,
	"allowed_origins" text[] DEFAULT '{}' NOT NULL,
	"allowed_scopes" text[] DEFAULT '{"openid","email","profile"}' NOT NULL,
	"multi_account" boolean DEFAULT false NOT NULL,
	"allow_self_register" boolean DEFAULT false NOT NULL,
	"require_admin_activation" boolean DEFAULT false NOT NULL,
	"allow_client_credentials" boolean DEFAULT false NOT NULL,
	"allow_device_flow" boolean DEFAULT false NOT NULL,
	"allow_acting_for_members" boolean DEFAULT false NOT NULL,
	"allow_service_accounts" boolean DEFAULT false NOT NULL,
	"require_email_otp" boolean DEFAULT false NOT NULL,
	"require_mfa" boolean DEFAULT false NOT NULL,
	"skip_consent" boolean DEFAULT false NOT NULL,
	"account_admin_api" boolean DEFAULT true NOT NULL,
	"organization_sso" text DEFAULT 'system' NOT NULL,
	"connection_mfa" text DEFAULT 'reported' NOT NULL,
	"address_first" boolean DEFAULT false NOT NULL,
	"id_token_alg" text DEFAULT 'RS256' NOT NULL,
	"platform" boolean DEFAULT false NOT NULL,
	"backchannel_logout_uri" text,
	"invitation_uri" text,
	"client_uri" text,
	"initiate_login_uri" text,
	"policy_uri" text,
	"tos_uri" text,
	"support_uri" text,
	"email_from" text,
	"email_reply_to" text,
	"introspectable_by" text[] DEFAULT '{}' NOT NULL,
	"branding" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "client_id_taken" UNIQUE("client_id"),
	CONSTRAINT "platform_device_flow" CHECK (not ("systems"."platform" and "systems"."allow_device_flow")),
	CONSTRAINT "platform_acting" CHECK (not ("systems"."platform" and "systems"."allow_acting_for_members")),
	CONSTRAINT "platform_service_accounts" CHECK (not ("systems"."platform" and "systems"."allow_service_accounts")),
	CONSTRAINT "systems_organization_sso" CHECK ("systems"."organization_sso" in ('off', 'system', 'account')),
	CONSTRAINT "systems_connection_mfa" CHECK ("systems"."connection_mfa" in ('reported', 'trusted'))
);
--> statement-breakpoint
CREATE TABLE "test_sign_ins" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"account_id" uuid,
	"user_id" uuid,
	"request" jsonb NOT NULL,
	"created_by" uuid,
	"expires_at" timestamp with time zone NOT NULL,
	"shared_at" timestamp with time zone,
	"result" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "test_sign_ins_secret" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "totp_factors" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"system_id" uuid,
	"sealed_secret" "bytea" NOT NULL,
	"last_step" bigint,
	"confirmed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unconfirmed_credentials" (
	"user_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"email" text,
	"verified" boolean DEFAULT false NOT NULL,
	CONSTRAINT "unconfirmed_credentials_user_id_credential_id_pk" PRIMARY KEY("user_id","credential_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"name" text,
	"given_name" text,
	"family_name" text,
	"middle_name" text,
	"nickname" text,
	"preferred_username" text,
	"profile" text,
	"picture" text,
	"website" text,
	"gender" text,
	"birthdate" text,
	"zoneinfo" text,
	"locale" text,
	"phone_number" text,
	"phone_number_verified" boolean DEFAULT false NOT NULL,
	"address" jsonb,
	"disabled" boolean DEFAULT false NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"has_password" boolean DEFAULT false NOT NULL,
	"moved_at" timestamp with time zone,
	"last_login_at" timestamp with time zone,
	"passkey_offer_at" timestamp with time zone,
	"passkey_declines" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_taken" UNIQUE("email"),
	CONSTRAINT "users_phone" CHECK ("users"."phone_number" is not null or not "users"."phone_number_verified")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"system_id" uuid NOT NULL,
	"url" text NOT NULL,
	"events" text[] DEFAULT '{}' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"sealed_secret" "bytea" NOT NULL,
	"previous_sealed_secret" "bytea",
	"previous_secret_until" timestamp with time zone,
	"followed" bigint NOT NULL,
	"followed_urgent" bigint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"urgent_due_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"urgent_failures" integer DEFAULT 0 NOT NULL,
	"urgent_paused_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("personal_of") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "asked_addresses" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blocks" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blocks" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_attempts" ADD CONSTRAINT "connection_not_found" FOREIGN KEY ("connection_id") REFERENCES "public"."connections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_links" ADD CONSTRAINT "connection_not_found" FOREIGN KEY ("account_id","connection_id") REFERENCES "public"."connections"("account_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_links" ADD CONSTRAINT "membership_not_found" FOREIGN KEY ("account_id","user_id") REFERENCES "public"."memberships"("account_id","user_id") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "connection_roles" ADD CONSTRAINT "connection_not_found" FOREIGN KEY ("system_id","connection_id") REFERENCES "public"."connections"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connection_roles" ADD CONSTRAINT "role_not_in_system" FOREIGN KEY ("system_id","role_id","is_admin") REFERENCES "public"."roles"("system_id","id","is_admin") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "webhook_not_found" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "event_not_found" FOREIGN KEY ("event_seq") REFERENCES "public"."events"("seq") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_not_found" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_texts" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "images" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "images" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_accepted_by" FOREIGN KEY ("accepted_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_decisions" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_decisions" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_decisions" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership_profiles" ADD CONSTRAINT "membership_not_found" FOREIGN KEY ("system_id","membership_id") REFERENCES "public"."memberships"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership_profiles" ADD CONSTRAINT "profile_not_in_system" FOREIGN KEY ("system_id","profile_id") REFERENCES "public"."profiles"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership_roles" ADD CONSTRAINT "membership_not_found" FOREIGN KEY ("system_id","membership_id") REFERENCES "public"."memberships"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership_roles" ADD CONSTRAINT "role_not_in_system" FOREIGN KEY ("system_id","role_id","is_admin") REFERENCES "public"."roles"("system_id","id","is_admin") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id","email") REFERENCES "public"."system_users"("user_id","system_id","email") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_block" FOREIGN KEY ("account_id","user_id","blocked_by") REFERENCES "public"."blocks"("account_id","user_id","set_by") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operators" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operators" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passwords" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passwords" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profiles" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "registrations" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_account_keys" ADD CONSTRAINT "service_account_not_found" FOREIGN KEY ("service_account_id") REFERENCES "public"."service_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_account_roles" ADD CONSTRAINT "service_account_not_found" FOREIGN KEY ("system_id","service_account_id") REFERENCES "public"."service_accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_account_roles" ADD CONSTRAINT "role_not_in_system" FOREIGN KEY ("system_id","role_id","is_admin") REFERENCES "public"."roles"("system_id","id","is_admin") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "service_accounts" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_ends" ADD CONSTRAINT "session_ends_job" FOREIGN KEY ("job_id") REFERENCES "public"."background_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_membership" FOREIGN KEY ("system_id","membership_id") REFERENCES "public"."memberships"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stated_addresses" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stated_addresses" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "system_users" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "system_users" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_sign_ins" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."systems"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_sign_ins" ADD CONSTRAINT "account_not_found" FOREIGN KEY ("system_id","account_id") REFERENCES "public"."accounts"("system_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_sign_ins" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totp_factors" ADD CONSTRAINT "user_not_in_system" FOREIGN KEY ("user_id","system_id") REFERENCES "public"."system_users"("user_id","system_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totp_factors" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unconfirmed_credentials" ADD CONSTRAINT "user_not_found" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "system_not_found" FOREIGN KEY ("system_id") REFERENCES "public"."system_ids"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_newest" ON "accounts" USING btree ("created_at" desc,"id" desc,"kind","name");--> statement-breakpoint
CREATE INDEX "accounts_newest_of_system" ON "accounts" USING btree ("system_id","created_at" desc,"id" desc,"kind","name");--> statement-breakpoint
CREATE INDEX "accounts_organizations" ON "accounts" USING btree ("created_at" desc,"id" desc,"system_id") WHERE kind = 'organization';--> statement-breakpoint
CREATE INDEX "accounts_organizations_by_id" ON "accounts" USING btree ("id","created_at","system_id") WHERE kind = 'organization';--> statement-breakpoint
CREATE INDEX "accounts_of_person" ON "accounts" USING btree ("personal_of");--> statement-breakpoint
CREATE INDEX "accounts_suspended_newest" ON "accounts" USING btree ("created_at" desc,"id" desc,"system_id") WHERE suspended_by <> '{}';--> statement-breakpoint
CREATE INDEX "accounts_awaiting_member" ON "accounts" USING btree ("system_id") WHERE "accounts"."awaits_member";--> statement-breakpoint
CREATE INDEX "accounts_name_part" ON "accounts" USING gin (lower("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "accounts_name_pieces" ON "accounts" USING gin ((string_to_array(lower("name"), null) || string_to_array(regexp_replace(lower("name"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("name"), 2), '(..)', '\1' || chr(10), 'g'), chr(10))));--> statement-breakpoint
CREATE INDEX "accounts_external_id_part" ON "accounts" USING gin (lower("external_id") gin_trgm_ops) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "accounts_external_id_pieces" ON "accounts" USING gin ((string_to_array(lower("external_id"), null) || string_to_array(regexp_replace(lower("external_id"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("external_id"), 2), '(..)', '\1' || chr(10), 'g'), chr(10)))) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "artifacts_of_session" ON "artifacts" USING btree ("sid") WHERE "artifacts"."sid" is not null;--> statement-breakpoint
CREATE INDEX "artifacts_of_user" ON "artifacts" USING btree ("user_id") WHERE "artifacts"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "artifacts_uid" ON "artifacts" USING btree ("uid_hash") WHERE "artifacts"."uid_hash" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "artifacts_user_code" ON "artifacts" USING btree ("user_code_hash") WHERE "artifacts"."user_code_hash" is not null;--> statement-breakpoint
CREATE INDEX "artifacts_expiry" ON "artifacts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "asked_addresses_ended" ON "asked_addresses" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "audit_newest" ON "audit" USING btree ("time" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "audit_of_system" ON "audit" USING btree ("system_id","time" desc,"id" desc,"actor_type","target_type");--> statement-breakpoint
CREATE INDEX "audit_of_account" ON "audit" USING btree ("account_id","time" desc);--> statement-breakpoint
CREATE INDEX "audit_of_actor" ON "audit" USING btree ("actor_id","time" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "audit_of_target" ON "audit" USING btree ("target_id","time" desc);--> statement-breakpoint
CREATE INDEX "audit_of_action" ON "audit" USING btree ("action","time" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "audit_of_action_in_system" ON "audit" USING btree ("system_id","action","time" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "audit_failures" ON "audit" USING btree ("time" desc,"id" desc,"action","actor_type","target_type") WHERE outcome = 'failure';--> statement-breakpoint
CREATE INDEX "audit_failures_of_system" ON "audit" USING btree ("system_id","time" desc,"id" desc,"action","actor_type","target_type") WHERE outcome = 'failure';--> statement-breakpoint
CREATE INDEX "audit_of_reason" ON "audit" USING btree (("changes" -> 'reason' ->> 1),"time" desc,"id" desc) WHERE outcome = 'failure';--> statement-breakpoint
CREATE INDEX "audit_of_reason_in_system" ON "audit" USING btree ("system_id",("changes" -> 'reason' ->> 1),"time" desc,"id" desc) WHERE outcome = 'failure';--> statement-breakpoint
CREATE INDEX "audit_of_other_reason" ON "audit" USING btree ((changes ? 'provider'),"time" desc,"id" desc,"system_id") WHERE outcome = 'failure' and action = 'user.login' and not coalesce((changes -> 'reason' ->> 1) in ('password', 'unknown', 'disabled', 'unverified', 'throttled', 'pending', 'blocked', 'none', 'foreign', 'factor', 'consent'), false);--> statement-breakpoint
CREATE INDEX "audit_of_target_type" ON "audit" USING btree ("target_type","time" desc,"id" desc) WHERE target_type not in ('user', 'session');--> statement-breakpoint
CREATE INDEX "audit_of_actor_type" ON "audit" USING btree ("actor_type","time" desc,"id" desc) WHERE actor_type in ('anonymous', 'server');--> statement-breakpoint
CREATE INDEX "audit_of_request" ON "audit" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "audit_of_ip" ON "audit" USING btree ("actor_ip","time" desc,"id" desc) WHERE actor_ip is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_link_place" ON "audit_links" USING btree ("block","position");--> statement-breakpoint
CREATE INDEX "background_jobs_due" ON "background_jobs" USING btree ("next_batch_at") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "background_jobs_served" ON "background_jobs" USING btree (coalesce("system_id", '00000000-0000-0000-0000-000000000000'::uuid),"finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "background_jobs_finished" ON "background_jobs" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "background_jobs_newest" ON "background_jobs" USING btree ("created_at" desc,"id" desc,"system_id");--> statement-breakpoint
CREATE INDEX "background_jobs_newest_of_system" ON "background_jobs" USING btree ("system_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "blocks_of_user" ON "blocks" USING btree ("user_id","system_id");--> statement-breakpoint
CREATE INDEX "blocks_of_system" ON "blocks" USING btree ("system_id");--> statement-breakpoint
CREATE INDEX "connection_attempts_newest" ON "connection_attempts" USING btree ("connection_id","time" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "connection_attempts_time" ON "connection_attempts" USING btree ("time");--> statement-breakpoint
CREATE INDEX "connection_links_of_member" ON "connection_links" USING btree ("user_id","account_id");--> statement-breakpoint
CREATE INDEX "connection_links_newest" ON "connection_links" USING btree ("connection_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "connection_roles_of_role" ON "connection_roles" USING btree ("role_id");--> statement-breakpoint
CREATE INDEX "connections_due" ON "connections" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "connections_turns" ON "connections" USING btree ("system_id","next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "connections_leased" ON "connections" USING btree ("leased_until") WHERE leased_until is not null;--> statement-breakpoint
CREATE INDEX "consents_of_account" ON "consents" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "deliveries_pending" ON "deliveries" USING btree ("webhook_id","event_seq") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("webhook_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_urgent" ON "deliveries" USING btree ("webhook_id","ordered_by","event_seq") WHERE urgency > 0;--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("webhook_id","event_seq") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_seq");--> statement-breakpoint
CREATE INDEX "deliveries_finished_of_webhook" ON "deliveries" USING btree ("webhook_id","status","finished_at") WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_finished" ON "deliveries" USING btree ("finished_at") WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX "delivery_attempts_of_delivery" ON "delivery_attempts" USING btree ("delivery_id","started_at");--> statement-breakpoint
CREATE INDEX "domains_verified" ON "domains" USING btree ("system_id","name") WHERE status = 'verified';--> statement-breakpoint
CREATE INDEX "domains_due" ON "domains" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "domains_turns" ON "domains" USING btree ("system_id","next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "domains_leased" ON "domains" USING btree ("leased_until") WHERE leased_until is not null;--> statement-breakpoint
CREATE INDEX "domains_pending" ON "domains" USING btree ("created_at") WHERE status = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "events_position" ON "events" USING btree ("position") WHERE position is not null;--> statement-breakpoint
CREATE INDEX "events_of_system" ON "events" USING btree ("system_id","position") WHERE position is not null;--> statement-breakpoint
CREATE INDEX "events_of_type" ON "events" USING btree ("system_id","type","seq");--> statement-breakpoint
CREATE INDEX "events_urgent" ON "events" USING btree ("system_id","position") WHERE position is not null and type in ('user.access_blocked','user.access_revoked','user.deleted','account.suspended','service_account.disabled','service_account.deleted','session.ended','service_account.key_revoked','service_account.token_revoked');--> statement-breakpoint
CREATE INDEX "events_time" ON "events" USING brin ("time");--> statement-breakpoint
CREATE INDEX "events_without_position" ON "events" USING btree ("seq") WHERE position is null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_exists" ON "invitations" USING btree ("account_id","email") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "invitations_of_address" ON "invitations" USING btree ("email","system_id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "invitations_newest_of_account" ON "invitations" USING btree ("account_id","created_at" desc,"id" desc,"email");--> statement-breakpoint
CREATE INDEX "invitations_of_inviter" ON "invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "invitations_of_invited" ON "invitations" USING btree ("accepted_by");--> statement-breakpoint
CREATE INDEX "invitations_pending" ON "invitations" USING btree ("expires_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "invitations_ended" ON "invitations" USING btree ("updated_at") WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX "kept_decisions_of_account" ON "kept_decisions" USING btree ("system_id","account_id");--> statement-breakpoint
CREATE INDEX "kept_decisions_of_user" ON "kept_decisions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "limits_expiry" ON "limits" USING btree ("expire");--> statement-breakpoint
CREATE INDEX "limits_of_user" ON "limits" USING btree ("user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "logout_deliveries_due" ON "logout_deliveries" USING btree ("client_id","next_attempt_at");--> statement-breakpoint
CREATE INDEX "logout_deliveries_of_receiver" ON "logout_deliveries" USING btree ("uri","next_attempt_at");--> statement-breakpoint
CREATE INDEX "logout_deliveries_leased" ON "logout_deliveries" USING btree ("leased_until");--> statement-breakpoint
CREATE INDEX "mail_due" ON "mail" USING btree ("is_awaited","tenant","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "mail_leased" ON "mail" USING btree ("leased_until") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "mail_done" ON "mail" USING btree ("created_at") WHERE status <> 'pending';--> statement-breakpoint
CREATE INDEX "mail_newest" ON "mail" USING btree ("created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "mail_failed" ON "mail" USING btree ("created_at" desc,"id" desc) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "mail_of_user" ON "mail" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "membership_profiles_of_profile" ON "membership_profiles" USING btree ("profile_id");--> statement-breakpoint
CREATE INDEX "membership_roles_of_role" ON "membership_roles" USING btree ("role_id");--> statement-breakpoint
CREATE INDEX "membership_roles_of_admins" ON "membership_roles" USING btree ("account_id","user_id","system_id") WHERE is_admin and active;--> statement-breakpoint
CREATE INDEX "membership_roles_of_admin" ON "membership_roles" USING btree ("user_id","account_id") WHERE is_admin and active;--> statement-breakpoint
CREATE UNIQUE INDEX "account_taken" ON "memberships" USING btree ("system_id","user_id") WHERE exclusive;--> statement-breakpoint
CREATE UNIQUE INDEX "account_occupied" ON "memberships" USING btree ("account_id") WHERE exclusive;--> statement-breakpoint
CREATE INDEX "memberships_newest" ON "memberships" USING btree ("created_at" desc,"id" desc,"status","email");--> statement-breakpoint
CREATE INDEX "memberships_newest_of_system" ON "memberships" USING btree ("system_id","created_at" desc,"id" desc,"user_id","status","email");--> statement-breakpoint
CREATE INDEX "memberships_newest_of_account" ON "memberships" USING btree ("account_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "memberships_changed" ON "memberships" USING btree ("updated_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "memberships_inactive" ON "memberships" USING btree ("status","created_at" desc,"id" desc) WHERE status <> 'active';--> statement-breakpoint
CREATE INDEX "memberships_of_user" ON "memberships" USING btree ("user_id","system_id","status","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "memberships_email_part" ON "memberships" USING gin (lower("email") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "memberships_email_pieces" ON "memberships" USING gin ((string_to_array(lower("email"), null) || string_to_array(regexp_replace(lower("email"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("email"), 2), '(..)', '\1' || chr(10), 'g'), chr(10))));--> statement-breakpoint
CREATE INDEX "one_time_tokens_of_system" ON "one_time_tokens" USING btree ("system_id") WHERE system_id is not null;--> statement-breakpoint
CREATE INDEX "one_time_tokens_of_user" ON "one_time_tokens" USING btree ("user_id","purpose","created_at" desc);--> statement-breakpoint
CREATE INDEX "one_time_tokens_expiry" ON "one_time_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "operators_of_system" ON "operators" USING btree ("system_id");--> statement-breakpoint
CREATE INDEX "passkeys_of_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "registrations_of_interaction" ON "registrations" USING btree ("interaction_hash");--> statement-breakpoint
CREATE INDEX "registrations_of_system" ON "registrations" USING btree ("system_id");--> statement-breakpoint
CREATE INDEX "registrations_expiry" ON "registrations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "revoked_tokens_expiry" ON "revoked_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "founder_role_taken" ON "roles" USING btree ("system_id") WHERE is_founder;--> statement-breakpoint
CREATE INDEX "service_account_keys_of_account" ON "service_account_keys" USING btree ("service_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "service_account_roles_of_role" ON "service_account_roles" USING btree ("role_id");--> statement-breakpoint
CREATE INDEX "service_accounts_of_account" ON "service_accounts" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "sessions_of_membership" ON "sessions" USING btree ("membership_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "sessions_newest" ON "sessions" USING btree ("created_at" desc,"sid" desc);--> statement-breakpoint
CREATE INDEX "sessions_of_user" ON "sessions" USING btree ("user_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "sessions_of_system" ON "sessions" USING btree ("system_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "sessions_of_account" ON "sessions" USING btree ("account_id","created_at" desc);--> statement-breakpoint
CREATE INDEX "sessions_of_browser" ON "sessions" USING btree ("browser_uid");--> statement-breakpoint
CREATE INDEX "sessions_of_actor" ON "sessions" USING btree ("actor_sid") WHERE actor_sid is not null;--> statement-breakpoint
CREATE INDEX "sessions_of_connection" ON "sessions" USING btree ("connection_id") WHERE connection_id is not null;--> statement-breakpoint
CREATE INDEX "sessions_over" ON "sessions" USING btree (least("expires_at", "ended_at"));--> statement-breakpoint
CREATE INDEX "stated_addresses_of_system" ON "stated_addresses" USING btree ("system_id");--> statement-breakpoint
CREATE INDEX "stated_addresses_expiry" ON "stated_addresses" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "system_users_without_membership" ON "system_users" USING btree ("system_id") WHERE created_by_system;--> statement-breakpoint
CREATE INDEX "system_users_of_connections" ON "system_users" USING btree ("created_by_account") WHERE created_by_account is not null;--> statement-breakpoint
CREATE INDEX "system_users_disabled" ON "system_users" USING btree ("user_id","system_id") WHERE disabled;--> statement-breakpoint
CREATE INDEX "system_users_newest" ON "system_users" USING btree ("system_id","created_at" desc,"user_id" desc,"email");--> statement-breakpoint
CREATE INDEX "system_users_email_part" ON "system_users" USING gin (lower("email") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "system_users_email_pieces" ON "system_users" USING gin ((string_to_array(lower("email"), null) || string_to_array(regexp_replace(lower("email"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("email"), 2), '(..)', '\1' || chr(10), 'g'), chr(10))));--> statement-breakpoint
CREATE INDEX "system_users_name_part" ON "system_users" USING gin (lower(("profile" ->> 'name')) gin_trgm_ops) WHERE profile ? 'name';--> statement-breakpoint
CREATE INDEX "system_users_name_pieces" ON "system_users" USING gin ((string_to_array(lower(("profile" ->> 'name')), null) || string_to_array(regexp_replace(lower(("profile" ->> 'name')), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower(("profile" ->> 'name')), 2), '(..)', '\1' || chr(10), 'g'), chr(10)))) WHERE profile ? 'name';--> statement-breakpoint
CREATE INDEX "systems_newest" ON "systems" USING btree ("created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "test_sign_ins_of_system" ON "test_sign_ins" USING btree ("system_id","expires_at");--> statement-breakpoint
CREATE INDEX "test_sign_ins_of_account" ON "test_sign_ins" USING btree ("system_id","account_id");--> statement-breakpoint
CREATE INDEX "test_sign_ins_of_user" ON "test_sign_ins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "test_sign_ins_expiry" ON "test_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "totp_factors_of_user" ON "totp_factors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "users_newest" ON "users" USING btree ("created_at" desc,"id" desc,"email","name");--> statement-breakpoint
CREATE INDEX "users_disabled" ON "users" USING btree ("created_at" desc,"id" desc,"email") WHERE disabled;--> statement-breakpoint
CREATE INDEX "users_unverified" ON "users" USING btree ("created_at" desc,"id" desc,"email") WHERE not email_verified;--> statement-breakpoint
CREATE INDEX "users_without_password" ON "users" USING btree ("created_at" desc,"id" desc) WHERE not has_password;--> statement-breakpoint
CREATE INDEX "users_signed_in" ON "users" USING brin ("last_login_at") WITH (pages_per_range=2);--> statement-breakpoint
CREATE INDEX "users_email_part" ON "users" USING gin (lower("email") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_email_pieces" ON "users" USING gin ((string_to_array(lower("email"), null) || string_to_array(regexp_replace(lower("email"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("email"), 2), '(..)', '\1' || chr(10), 'g'), chr(10))));--> statement-breakpoint
CREATE INDEX "users_name_part" ON "users" USING gin (lower("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_name_pieces" ON "users" USING gin ((string_to_array(lower("name"), null) || string_to_array(regexp_replace(lower("name"), '(..)', '\1' || chr(10), 'g'), chr(10)) || string_to_array(regexp_replace(substr(lower("name"), 2), '(..)', '\1' || chr(10), 'g'), chr(10))));--> statement-breakpoint
CREATE INDEX "webhooks_newest_of_system" ON "webhooks" USING btree ("system_id","created_at" desc,"id" desc);--> statement-breakpoint
ALTER INDEX "accounts_external_id_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "accounts_name_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "memberships_email_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "system_users_email_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "system_users_name_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "users_email_pieces" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
ALTER INDEX "users_name_pieces" ALTER COLUMN 1 SET STATISTICS 0;
