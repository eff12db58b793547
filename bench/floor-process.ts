import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DirectClaude, type Place } from './direct.ts'

/** See floor.ts. Arguments: the place of the CLI as JSON, a directory for the database. */
const [place, directory] = process.argv.slice(2) as [string, string]
const database = new DatabaseSync(join(directory, 'floor.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE notes (text TEXT)')
const note = database.prepare('INSERT INTO notes VALUES (?)')
const { executable, cwd, env, through } = JSON.parse(place) as Place
const claude = new DirectClaude(executable, cwd, env, true, through)
await claude.initialize()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let message = ''
  for await (const chunk of request) message += chunk
  note.run(message)
  const said = await claude.turn(message)
  note.run(said)
  response.end(said)
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.once('disconnect', () => void claude.end().then(() => process.exit(0)))
