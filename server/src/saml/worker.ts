/** The thread in which responses are read. What fails here ends it, and refuses one response. */
import { parentPort } from 'node:worker_threads'
import { type ReadingTask, readAll } from './reading.ts'

parentPort?.on('message', (task: ReadingTask) => parentPort?.postMessage(readAll(task)))
parentPort?.postMessage('ready')
