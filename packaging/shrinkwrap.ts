/**
 * npm-shrinkwrap.json of the package: the versions that package-lock.json has for the server, so that an
 * installation has the versions that were tested. In the lock file the server is a folder of its own
 * (`server/node_modules/…`); in the package its dependencies are at the root.
 */

type Dependencies = Record<string, string>
export type Locked = {
  version: string
  dev?: boolean
  dependencies?: Dependencies
  optionalDependencies?: Dependencies
  peerDependencies?: Dependencies
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
export type Lock = { packages: Record<string, Locked> }

const ROOT = ''
const below = (folder: string, name: string) => `${folder && `${folder}/`}node_modules/${name}`

/** The folders in which Node searches a dependency of a package, the nearest first. */
function searched(folder: string): string[] {
  const parent = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')
  if (folder === ROOT) return [ROOT]
  return [folder, ...searched(parent === folder ? ROOT : parent)]
}

/** Where a lock file has the dependency of a package. */
function resolve(packages: Lock['packages'], folder: string, name: string): string | undefined {
  return searched(folder)
    .map((each) => below(each, name))
    .find((path) => path in packages)
}

/** The names of dependencies, and whether each may be missing. */
function dependenciesOf(locked: Locked): [name: string, isOptional: boolean][] {
  const peers = Object.keys(locked.peerDependencies ?? {}).filter(
    (name) => !locked.peerDependenciesMeta?.[name]?.optional,
  )
  const optional = Object.keys(locked.optionalDependencies ?? {})
  const names = new Set([...Object.keys(locked.dependencies ?? {}), ...peers, ...optional])
  return [...names].sort().map((name) => [name, optional.includes(name)])
}

/**
 * The dependencies of the package at `start` of a lock file, each as near to the root as possible. Throws if
 * a package would find another version than in the lock file.
 */
export function dependencyTree(lock: Lock, start: string, without: string[] = []): Lock['packages'] {
  const from = new Map([[ROOT, start]])
  const placed: Lock['packages'] = { [ROOT]: lock.packages[start]! }
  const edges: { folder: string; name: string; source: string }[] = []
  const queue = [ROOT]
  for (const folder of queue) {
    for (const [name, isOptional] of dependenciesOf(placed[folder]!)) {
      if (folder === ROOT && without.includes(name)) continue
      const source = resolve(lock.packages, from.get(folder)!, name)
      if (!source && isOptional) continue
      if (!source) throw new Error(`package-lock.json has no ${name}, which ${folder || start} needs.`)
      edges.push({ folder, name, source })
      const found = resolve(placed, folder, name)
      if (found && from.get(found) === source) continue
      const path = below(found ? folder : ROOT, name)
      from.set(path, source)
      placed[path] = lock.packages[source]!
      queue.push(path)
    }
  }
  for (const { folder, name, source } of edges) {
    if (from.get(resolve(placed, folder, name)!) !== source)
      throw new Error(`${folder} would find another version of ${name} than in package-lock.json.`)
  }
  delete placed[ROOT]
  return Object.fromEntries(Object.entries(placed).sort(([a], [b]) => (a < b ? -1 : 1)))
}
