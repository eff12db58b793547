import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { type ProbeRecord, probedOf, programFile, readProbes, writeProbe } from './probe-record.ts'

function setting() {
  const scratch = scratchDirectory()
  const [file, path] = [join(scratch.path, 'probe.json'), join(scratch.path, 'claude')]
  writeFileSync(path, 'the first')
  const record = (verdict: ProbeRecord['verdict'], at: number): ProbeRecord => {
    return {
      program: programFile(path)!,
      version: '2.1.330',
      at,
      verdict,
      differs: verdict === 'bad' ? ['message.echo'] : [],
    }
  }
  const standing = () => probedOf(readProbes(file), programFile(path)!).kind
  return { file, path, record, standing, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

test('a program is good or bad as it was probed last, and changed once it is another file', () => {
  using set = setting()
  expect(set.standing()).toBe('unprobed')
  writeProbe(set.file, set.record('good', 1))
  expect(set.standing()).toBe('good')
  expect(statSync(set.file).mode & 0o777).toBe(0o600)
  writeProbe(set.file, set.record('bad', 2))
  expect(set.standing()).toBe('bad')
  writeProbe(set.file, set.record('unknown', 3))
  expect(set.standing()).toBe('good')
  writeFileSync(set.path, 'the second')
  expect(set.standing()).toBe('changed')
  writeProbe(set.file, set.record('good', 4))
  expect(set.standing()).toBe('good')
  utimesSync(set.path, 1, 1)
  expect(set.standing()).toBe('changed')
  expect(readProbes(set.file)).toHaveLength(1)
})

test('a file that is no record is as none', () => {
  using set = setting()
  for (const text of ['', '{', '{}', '[1, {"program": 1}]']) {
    writeFileSync(set.file, text)
    expect(set.standing()).toBe('unprobed')
  }
})
