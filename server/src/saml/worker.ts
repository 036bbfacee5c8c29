/** The thread in which documents are read. What fails here ends it, and refuses one document. */
import { parentPort } from 'node:worker_threads'
import { outcomeOf, type Task } from './reading.ts'

parentPort?.on('message', (task: Task) => parentPort?.postMessage(outcomeOf(task)))
parentPort?.postMessage('ready')
