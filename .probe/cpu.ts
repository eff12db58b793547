import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { startScriptedModel } from '../src/app/demo/scripted-model.ts'

const model: any = await startScriptedModel({ script: () => ({ text: 'hello' }) } as any)
console.log(Object.keys(model), model.url ?? model.baseUrl ?? model.origin)
const url = model.url ?? model.baseUrl ?? model.origin
const bin = new URL('../node_modules/@anthropic-ai/claude-code-linux-x64/claude', import.meta.url).pathname
const variants: Record<string, Record<string, string>> = {
  plain: {},
  noFTL: { BUN_JSC_useFTLJIT: '0' },
  noDFG: { BUN_JSC_useDFGJIT: '0' },
  noConcGC: { BUN_JSC_useConcurrentGC: '0' },
  smol1: { BUN_JSC_numberOfGCMarkers: '1', BUN_JSC_useConcurrentJIT: '0' },
  noJIT: { BUN_JSC_useJIT: '0' },
  base: { BUN_JSC_useDFGJIT: '0', BUN_JSC_useConcurrentGC: '0', BUN_JSC_numberOfGCMarkers: '1' },
  stw: { BUN_JSC_useConcurrentGC: '0', BUN_JSC_numberOfGCMarkers: '1' },
}
const sums: Record<string, number[]> = {}
for (let round = 0; round < 3; round++)
  for (const [name, env] of Object.entries(variants)) {
    const home = mkdtempSync('/tmp/probe-')
    const before = process.resourceUsage() // children not included; use time -f
    const child = spawn(
      'bash',
      ['-c', 'TIMEFORMAT="%U %S"; time "$0" -p --output-format json "say hello" </dev/null >/dev/null', bin],
      {
        cwd: home,
        env: {
          HOME: home,
          PATH: '/usr/bin:/bin',
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_API_KEY: 'dummy',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          ...env,
        },
      },
    )
    let err = ''
    child.stderr.on('data', (d) => (err += d))
    const t0 = performance.now()
    await new Promise((r) => child.on('close', r))
    const m = err.trim().split('\n').at(-1)!.split(' ').map(Number)
    ;(sums[name] ??= []).push(m[0]! + m[1]!)
    if (round === 0)
      console.log(name, m, ((performance.now() - t0) / 1000).toFixed(1), err.split('\n')[0]!.slice(0, 80))
  }
for (const [n, v] of Object.entries(sums)) console.log(n, v.map((x) => x.toFixed(2)).join(' '))
process.exit(0)
