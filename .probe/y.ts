import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinWorld } from '../test/support/pin-world.ts'
import { initialize, pipeHost } from '../src/app/probe/pipe-host.ts'
const version = process.argv[2] as any
const bash = (command: string) => ({ toolUses: [{ name: 'Bash', input: { command } }] })
const hook = (event: string, command: string, matcher = '*') => ({ hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] } })
const out = (value: unknown) => `printf '%s' '${JSON.stringify(value)}'`
const cases: any = {
  pre: hook('PreToolUse', out({ continue: false, stopReason: 'not this tool' })),
  pre_bare: hook('PreToolUse', out({ continue: false })),
  post: hook('PostToolUse', out({ continue: false, stopReason: 'after this tool' })),
  batch: hook('PostToolBatch', out({ continue: false, stopReason: 'after the batch' })),
  stop: hook('Stop', out({ continue: false, stopReason: 'enough' })),
  stopblock: hook('Stop', out({ decision: 'block', reason: 'lint fails' })),
  ups_stop: hook('UserPromptSubmit', out({ continue: false, stopReason: 'closed today' })),
  ups_block: hook('UserPromptSubmit', out({ decision: 'block', reason: 'no secrets' })),
}
for (const [name, settings] of Object.entries(cases)) for (const flags of [[], ['--include-hook-events']]) {
  console.log(`\n### ${name} ${flags}`)
  await using world = await pinWorld(version, ({ conversation: { step } }: any) => name.startsWith('stop') ? { text: 'ANSWER' } : step === 0 ? { text: 'Let me.', ...bash('true') } : { text: 'done' })
  mkdirSync(join(world.project, '.claude'), { recursive: true }); writeFileSync(join(world.project, '.claude', 'settings.json'), JSON.stringify(settings))
  const sessionId = crypto.randomUUID()
  const cli = world.start({ answer: pipeHost().answer, args: ['--session-id', sessionId, ...flags] })
  await cli.request(initialize)
  try { await cli.turn('hello') } catch (e) { console.log('FAILED', String(e).slice(0, 300)) }
  const file = world.transcriptFile(sessionId)
  const atResult = file ? readFileSync(file, 'utf8').split('\n') : []
  await new Promise((r) => setTimeout(r, 500))
  const later = world.transcriptFile(sessionId) ? readFileSync(world.transcriptFile(sessionId)!, 'utf8').split('\n') : []
  console.log('LINES at result', atResult.length, 'later', later.length)
  if (flags.length) { for (const l of cli.lines) if (String(l.subtype).startsWith('hook')) console.log(JSON.stringify(l).slice(0, 400)) }
  else for (const l of later.filter(Boolean)) { const j = JSON.parse(l); if (['attachment', 'system', 'user', 'assistant'].includes(j.type)) console.log(atResult.includes(l) ? 'now ' : 'LATE', j.type, j.subtype ?? '', j.isMeta ?? '', String(j.uuid).slice(0,6), String(JSON.stringify(j.attachment ?? j.content ?? j.message?.content)).slice(0, 330), JSON.stringify({ ...j.hookInfos && { h: j.hookInfos }, stop: j.stopReason, p: j.preventedContinuation })) }
  await cli.end()
}
