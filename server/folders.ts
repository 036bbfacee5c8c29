/**
 * Prints the folders of server/src, each after the folders that it imports (`npm run folders`). Fails if
 * folders import each other in a circle. Types count. `--check` prints only a circle.
 *
 * Circles of folders are searched, not of files, so that each folder can be read without the later ones. A
 * file in server/src itself counts alone, and so does a `routes.ts`: nothing but app.ts imports it, and those
 * of resources/ call the flows of lifecycle/, which use the other files of their folder.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import ts from 'typescript'

const SRC = join(import.meta.dirname, 'src')

const isRoute = (path: string) => basename(path) === 'routes.ts'

function folderOf(file: string): string {
  const folder = dirname(file)
  return folder === '.' || isRoute(file) ? file : folder
}

const imported = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(join(SRC, file), 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => normalize(join(dirname(file), fileName)))
    .filter((path) => !path.startsWith('..'))

/** Folders with the folders that they import. */
function readFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  const sources = globSync('**/*.ts', { cwd: SRC }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of sources) {
    const own = folderOf(file)
    const others = folders.get(own) ?? new Set()
    folders.set(own, others)
    for (const other of imported(file).map(folderOf)) if (other !== own) others.add(other)
  }
  return folders
}

/** The folders, each after those that it imports, or a circle. */
function inOrder(folders: Map<string, Set<string>>): { order: string[] } | { circle: string[] } {
  const order: string[] = []
  const path: string[] = []
  const visit = (folder: string): string[] | undefined => {
    if (order.includes(folder)) return undefined
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder]
    path.push(folder)
    for (const other of folders.get(folder) ?? []) {
      const circle = visit(other)
      if (circle) return circle
    }
    path.pop()
    order.push(folder)
    return undefined
  }
  for (const folder of [...folders.keys()].sort()) {
    const circle = visit(folder)
    if (circle) return { circle }
  }
  return { order }
}

const folders = readFolders()
const found = inOrder(folders)
if ('circle' in found) {
  process.stderr.write(`These folders import each other: ${found.circle.join(' -> ')}\n`)
  process.exitCode = 1
} else if (!process.argv.includes('--check')) {
  const lines = found.order
    .toSorted((one, other) => Number(isRoute(one)) - Number(isRoute(other)))
    .map((folder) => `${folder}: ${[...(folders.get(folder) ?? [])].sort().join(', ') || '-'}\n`)
  process.stdout.write(lines.join(''))
}
