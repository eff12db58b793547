import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinWorld } from '../test/support/pin-world.ts'
import { initialize, pipeHost } from '../src/app/probe/pipe-host.ts'
const version = process.argv[2] as any
const hook = (event: string, command: string, matcher = '*') => ({ hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] } })
const out = (value: unknown) => `printf '%s' '${JSON.stringify(value)}'`
const cases: any = {
  ups_stop: hook('UserPromptSubmit', out({ continue: false, stopReason: 'closed today' })),
  ups_block: hook('UserPromptSubmit', out({ decision: 'block', reason: 'no secrets' })),
  ups_exit2: hook('UserPromptSubmit', 'echo no secrets please >&2; exit 2'),
  ss_hang: hook('SessionStart', 'sleep 6'),
  ups_hang: hook('UserPromptSubmit', 'sleep 4'),
  setup_hang: hook('Setup', 'sleep 6'),
  helper_hang: { apiKeyHelper: 'sleep 5; echo x' },
}
for (const [name, settings] of Object.entries(cases)) {
  console.log(`\n### ${name}`)
  await using world = await pinWorld(version, () => ({ text: 'fine' }))
  mkdirSync(join(world.project, '.claude'), { recursive: true }); writeFileSync(join(world.project, '.claude', 'settings.json'), JSON.stringify(settings))
  const sessionId = crypto.randomUUID()
  const t0 = Date.now()
  const cli = world.start({ answer: pipeHost().answer, args: ['--session-id', sessionId, '--include-hook-events'], env: name === 'helper_hang' ? { ANTHROPIC_API_KEY: '' } : {} })
  let n = 0
  const iv = setInterval(() => { for (; n < cli.lines.length; n++) { const l: any = cli.lines[n]; if (l.type !== 'stream_event') console.log(Date.now() - t0, l.type, l.subtype ?? '', l.isReplay ? 'echo' : '', ['informational', 'result', 'hook_started', 'hook_response'].includes(l.subtype) || l.type === 'result' ? JSON.stringify(l).slice(0, 260) : '') } }, 20)
  const raced = await Promise.race([cli.request(initialize).then(() => 'initialized'), new Promise((r) => setTimeout(() => r('late'), 9000))])
  console.log(Date.now() - t0, raced)
  try { if (raced !== 'late') await cli.turn('hello') } catch (e) { console.log('FAILED', String(e).slice(0, 300)) }
  await new Promise((r) => setTimeout(r, 400))
  clearInterval(iv)
  for (const l of world.transcript(sessionId)) console.log('T', l.type, (l as any).isMeta, JSON.stringify((l as any).message?.content).slice(0, 120))
  await cli.kill()
}
