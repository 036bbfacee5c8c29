#!/usr/bin/env node
// Only syntax that Node 12 can read, so that an unsupported version prints a sentence.
const [major, minor] = process.versions.node.split('.').map(Number)
// 22.13 is the first with node:sqlite, whose file lock protects the embedded database.
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`Tenantry needs Node 22.13 or newer. This is Node ${process.versions.node}.\n`)
  process.exit(1)
}

// V8 reads the first only when a process starts. execve keeps the process id. Windows and Node before 22.15
// do not have it: there the process needs about 60 MB more memory under load.
const OPTIONS = ['--scavenger-max-new-space-capacity-mb=16', '--disable-warning=ExperimentalWarning']
const isComplete = OPTIONS.every((option) => process.execArgv.includes(option))
if (!isComplete && process.execve && process.platform !== 'win32') {
  const args = [process.execPath, ...process.execArgv, ...OPTIONS, ...process.argv.slice(1)]
  process.execve(process.execPath, args, process.env)
}

void import('../server/src/main.ts')
