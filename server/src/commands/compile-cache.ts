import { accessSync, constants, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { makeFolder } from '../data-dir.ts'

/**
 * Saves a third of the time of later starts. The cache is in DATA_DIR, because the folder of the program may
 * be read-only. It contains executable code, so it is used only if no other user can write to it. Without a
 * writable DATA_DIR there is no cache. Node's own variable NODE_COMPILE_CACHE names another folder.
 */
export function useCompileCache(dataDir: string): void {
  const folder = join(resolve(dataDir), 'cache')
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
    const { uid, mode } = statSync(folder)
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    if (isOwn) enableCompileCache(folder)
  } catch {
    // read-only, or not a folder: openDataDir reports it if the folder is needed
  }
}
