import { expect, test } from 'vitest'
import { writeInPieces } from './write-in-pieces.ts'

test('a long text is encoded a piece at a time, each after the one before it is written', async () => {
  const pieces: Buffer[] = []
  let written = (): void => {}
  const write = (piece: Buffer, done: () => void): void => {
    pieces.push(piece)
    written = done
  }
  const text = `a${'𝄞'.repeat(1024 * 1024)}`
  const whole = writeInPieces({ write }, text)
  for (let count = 1; count <= 2; count += 1) {
    expect(pieces).toHaveLength(count)
    written()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await whole
  expect(Buffer.concat(pieces).equals(Buffer.from(text))).toBe(true)
})
