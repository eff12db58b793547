import { expect, test } from 'vitest'
import { LiveTexts } from './live-texts.ts'

test('a text grows at its places, and what begins anew is void before', () => {
  const texts = new LiveTexts()
  texts.add({ turnId: 'a', text: 'one ' })
  texts.add({ turnId: 'a', at: 4, text: 'two' })
  expect(texts.of('a')).toBe('one two')
  texts.add({ turnId: 'a', text: 'again' })
  expect(texts.of('a')).toBe('again')
})

test('what a turn said is kept for a while after its end, of a few turns', () => {
  const texts = new LiveTexts()
  for (const turnId of ['a', 'b', 'c', 'd', 'e', 'f']) {
    texts.add({ turnId, text: turnId })
    texts.drop(turnId)
  }
  expect(texts.of('f')).toBeUndefined()
  expect(['a', 'b', 'f'].map((turnId) => texts.saidBy(turnId))).toEqual([undefined, 'b', 'f'])
})
