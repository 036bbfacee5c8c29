/**
 * The limit of `t.waitFor` for what a server does soon: 60 s, in ms. A busy machine may delay everything; a
 * test that passes waits no longer than it must.
 */
export const SOON = { timeout: 60_000 }
