/** All commands by their words. `help` prints them in this order. */
import type { Command, CommandOption } from './command.ts'

const JSON_OPTION: CommandOption = { type: 'boolean', description: 'prints one JSON object' }
const CHECKPOINT: CommandOption = {
  type: 'string',
  value: 'FILE',
  description: 'compares with a checkpoint of the audit log that was kept elsewhere',
}

export const COMMANDS: Record<string, Command> = {
  start: {
    summary: 'starts the server (the default)',
    options: {},
    load: async () => (await import('./start.ts')).startServer,
  },
  check: {
    summary: 'checks the settings, the database, the keys and the mail server; changes nothing',
    options: { json: JSON_OPTION },
    load: async () => (await import('./check.ts')).check,
  },
  migrate: {
    summary: 'applies the migrations that are missing',
    options: {
      plan: {
        type: 'boolean',
        description: 'prints what is missing and changes nothing; exits with 2 if it would apply something',
      },
      finish: {
        type: 'boolean',
        description: 'applies the migrations that end an upgrade: earlier versions can no longer run',
      },
      json: JSON_OPTION,
    },
    load: async () => (await import('./migrate.ts')).runMigrate,
  },
  'keys rotate': {
    summary: 'publishes new signing keys',
    options: { json: JSON_OPTION },
    load: async () => (await import('./rotate-keys.ts')).runRotateKeys,
  },
  'secrets rotate': {
    summary: 'encrypts what is stored under SECRET_KEY again',
    options: { json: JSON_OPTION },
    load: async () => (await import('./rotate-secrets.ts')).rotateSecrets,
  },
  'admin reset': {
    summary: 'gives an administrator who is locked out a temporary password',
    options: {
      email: {
        type: 'string',
        value: 'ADDRESS',
        description: 'the administrator; otherwise ADMIN_EMAIL or admin@localhost',
      },
      'remove-second-factors': { type: 'boolean', description: 'removes their second factors too' },
      json: JSON_OPTION,
    },
    load: async () => (await import('./reset-admin.ts')).resetAdmin,
  },
  'audit verify': {
    summary: 'verifies that the audit log is unchanged; changes nothing',
    options: { checkpoint: CHECKPOINT, json: JSON_OPTION },
    load: async () => (await import('./verify-audit.ts')).runVerifyAudit,
  },
  'audit restart': {
    summary: 'begins a new chain of hashes with all entries, after a fault of the audit log',
    options: { json: JSON_OPTION },
    load: async () => (await import('./restart-audit.ts')).restart,
  },
  'backup verify': {
    summary: 'verifies a database that was restored from a backup; changes nothing',
    options: { checkpoint: CHECKPOINT, json: JSON_OPTION },
    load: async () => (await import('./verify-backup.ts')).runVerifyBackup,
  },
}
