import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { startScriptedModel } from '../src/app/demo/scripted-model.ts'

const model: any = await startScriptedModel({ script: () => ({ text: 'hello' }) } as any)
const url = model.url
const bin = new URL('../node_modules/@anthropic-ai/claude-code-linux-x64/claude', import.meta.url).pathname
const cpu = (pid: number) => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(f[11]) + Number(f[12])) / 100
}
for (let round = 0; round < 2; round++) {
  const home = mkdtempSync('/tmp/probe-')
  const child = spawn(
    bin,
    [
      '-p',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
    ],
    {
      cwd: home,
      env: {
        HOME: home,
        PATH: '/usr/bin:/bin',
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    },
  )
  let out = ''
  let wake = () => {}
  child.stdout.on('data', (d) => {
    out += d
    wake()
  })
  const result = async (n: number) => {
    while ((out.match(/"type":"result"/g) ?? []).length < n) await new Promise<void>((r) => (wake = r))
  }
  const log: string[] = []
  for (let i = 1; i <= 6; i++) {
    child.stdin.write(JSON.stringify({ type: 'user', message: { role: 'user', content: `say ${i}` } }) + '\n')
    await result(i)
    log.push(cpu(child.pid!).toFixed(2))
  }
  await new Promise((r) => setTimeout(r, 5000))
  log.push('idle5 ' + cpu(child.pid!).toFixed(2))
  await new Promise((r) => setTimeout(r, 10000))
  log.push('idle15 ' + cpu(child.pid!).toFixed(2))
  child.stdin.end()
  const c = new Promise((r) => child.on('close', r))
  const last = setInterval(() => {
    try {
      log[9] = 'end ' + cpu(child.pid!).toFixed(2)
    } catch {}
  }, 20)
  await c
  clearInterval(last)
  console.log(log.join(' '))
}
process.exit(0)
