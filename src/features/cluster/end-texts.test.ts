import { expect, test } from 'vitest'
import { shorterEnds, wholeEnd } from './end-texts.ts'
import { type EndLetter, refusedEnd } from './letters.ts'

const answered = (answer: string): EndLetter => ({ ...refusedEnd('failed', 'hung', ''), outcome: 'completed', answer })

test('another host gets the whole text, unless a letter may not have so much', async () => {
  const longText = (text: string, length = text.length) => ({ longText: async () => ({ text, length }) })
  expect(await wholeEnd(answered('beg'), longText('beginning'), 'studio')).toMatchObject({
    answer: 'beginning',
    partial: null,
  })
  const tooLong = await wholeEnd(answered('beg'), longText('beginning', 2 ** 30), 'studio')
  expect(tooLong.answer).toMatch(/^beg\n\n.* of 1073741824 characters.* Iris at studio has all of it/)
  expect(await wholeEnd(answered('all'), { longText: async () => undefined }, 'studio')).toEqual(answered('all'))
})

test('an answer that servers do not carry gets shorter, and says which host has all of it', () => {
  const ends = [...shorterEnds({ ...answered('é'.repeat(4000)), partial: 'more' }, 'studio')]
  expect(ends.map(({ answer }) => answer!.indexOf('\n'))).toEqual([3000, 1500, 750])
  for (const end of ends) {
    expect(end).toMatchObject({ outcome: 'completed', partial: null })
    expect(end.answer).toMatch(/of 4000 characters.* Iris at studio has all of it/)
  }
  expect([...shorterEnds(answered('short'), 'studio')]).toEqual([])
})
