import { expect, test } from 'vitest'
import { isBrief } from '../support/tier.ts'
import { playCuts } from './play-cuts.ts'

const seed = 1
/** Three times as many each night. */
const plays = isBrief ? 8 : 24
const cutsEach = 9
const atOnce = 6

test('over two hundred random cuts of the link no byte is lost or doubled in either direction', async () => {
  const breaches: string[] = []
  let [next, cuts, bytes] = [0, 0, 0]
  const play = async (): Promise<void> => {
    while (next < plays) {
      const each = next++
      const played = await playCuts(seed + each, (['dash', 'bash', 'busybox'] as const)[each % 3]!, cutsEach)
      breaches.push(...played.breaches)
      cuts += played.cuts
      bytes += played.bytes
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))

  expect(breaches).toEqual([])
  expect(cuts).toBe(plays * cutsEach)
  expect(bytes).toBeGreaterThan(100_000)
})
