import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createLineServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { DirectClaude, type Place } from './direct.ts'

/** See floor.ts. Arguments: the place of the CLI as JSON, a directory for the database. */
const [place, directory] = process.argv.slice(2) as [string, string]
const database = new DatabaseSync(join(directory, 'floor.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS notes (text TEXT)')
const note = database.prepare('INSERT INTO notes VALUES (?)')
const { executable, cwd, env, through } = JSON.parse(place) as Place
let claude = await begin()

async function begin(): Promise<DirectClaude> {
  const begun = new DirectClaude(executable, cwd, env, true, through)
  await begun.initialize()
  return begun
}

/** The next turn is the first one of a new conversation. */
async function renew(): Promise<void> {
  await claude.end()
  claude = await begin()
  process.send?.('renewed')
}

async function turn(message: string): Promise<string> {
  note.run(message)
  const said = await claude.turn(message)
  note.run(said)
  return said
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let message = ''
  for await (const chunk of request) message += chunk
  response.end(await turn(message))
}

/** The same by lines over a socket in the directory, one message after the other. */
async function answerLines(socket: Socket): Promise<void> {
  for await (const line of createInterface(socket)) socket.write(`${await turn(line)}\n`)
}

rmSync(join(directory, 'floor.sock'), { force: true })
createLineServer((socket) => void answerLines(socket)).listen(join(directory, 'floor.sock'))

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('message', () => void renew())
process.once('disconnect', () => void claude.end().then(() => process.exit(0)))
