/**
 * `npm run migration -- name` compares schema.ts with the last snapshot and writes the next numbered SQL
 * file. npm downloads drizzle-kit for it: a dependency would add 22 MB to each installation.
 */
export default {
  dialect: 'postgresql',
  casing: 'snake_case',
  schema: './server/src/database/schema.ts',
  out: './server/migrations',
  breakpoints: true,
}
