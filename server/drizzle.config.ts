import { defineConfig } from 'drizzle-kit'

/**
 * `npm run migration -- name` compares schema.ts with the last snapshot and
 * writes the next numbered SQL file.
 */
export default defineConfig({
  dialect: 'postgresql',
  casing: 'snake_case',
  schema: './server/src/database/schema.ts',
  out: './server/migrations',
  breakpoints: true,
})
