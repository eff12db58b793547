import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'

/**
 * The least memory a switchboard with Iris's libraries can take: `node:http`, one CLI over its pipe, two commits a turn. None
 * of Iris's code. Arguments: the CLI, its environment as JSON, a directory for the database, the libraries.
 */
const [executable, env, directory, libraries] = process.argv.slice(2) as [string, string, string, string]
for (const library of libraries.split(',').filter(Boolean)) await import(library)
const database = new DatabaseSync(join(directory, 'floor.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS notes (text TEXT)')
const note = database.prepare('INSERT INTO notes VALUES (?)')
const sessionId = randomUUID()
const claude = spawn(executable, ['--session-id', sessionId, '--verbose'], {
  cwd: directory,
  env: JSON.parse(env),
  stdio: ['pipe', 'pipe', 'inherit'],
})
let onResult: (text: string) => void = () => {}
createInterface(claude.stdout).on('line', (line) => {
  const said = JSON.parse(line)
  if (said.type === 'result') onResult(said.result)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of request) text += chunk
  note.run(text)
  const message = { role: 'user', content: [{ type: 'text', text }] }
  const answered = new Promise<string>((resolve) => {
    onResult = resolve
  })
  claude.stdin.write(`${JSON.stringify({ type: 'user', uuid: randomUUID(), message, session_id: sessionId })}\n`)
  const said = await answered
  note.run(said)
  response.end(said)
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.once('disconnect', () => {
  claude.kill()
  process.exit(0)
})
