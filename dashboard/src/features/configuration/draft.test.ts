import { expect, test } from 'vitest'
import { Draft } from './draft.ts'

const [first, second] = [
  { text: 'a: 1', hash: 'one' },
  { text: 'a: 2', hash: 'two' },
]

function edited() {
  const draft = new Draft()
  draft.take(first)
  draft.edit('a: 1\nb: 1')
  return draft
}

test('what nobody has edited follows the file', () => {
  const draft = new Draft()
  draft.take(first)
  draft.take(second)
  expect(draft.current()).toMatchObject({ base: second, text: 'a: 2', theirs: undefined })
})

test('what somebody has edited stays, and the changed file is beside it', () => {
  const draft = edited()
  draft.take(first)
  expect(draft.current().theirs).toBeUndefined()
  draft.take(second)
  expect(draft.current()).toMatchObject({ base: first, text: 'a: 1\nb: 1', theirs: second })
})

test('a file that was changed back is no conflict', () => {
  const draft = edited()
  draft.take(second)
  draft.take(first)
  expect(draft.current().theirs).toBeUndefined()
})

test('a conflict is solved by a text that counts as made from theirs', () => {
  const draft = edited()
  draft.take(second)
  draft.edit('a: 2\nb: 1')
  draft.settle()
  expect(draft.current()).toMatchObject({ base: second, text: 'a: 2\nb: 1', theirs: undefined })
  expect(draft.isEdited).toBe(true)
})

test('who takes theirs, or gives up, can have the own text back', () => {
  const draft = edited()
  draft.take(second)
  draft.giveUp()
  expect(draft.current()).toEqual({ base: second, text: 'a: 2', theirs: undefined, aside: 'a: 1\nb: 1' })
  expect(draft.isEdited).toBe(false)
  draft.bringBack()
  expect(draft.current()).toEqual({ base: second, text: 'a: 1\nb: 1', theirs: undefined, aside: undefined })
  draft.giveUp()
  draft.edit('a: 3')
  draft.bringBack()
  expect(draft.current()).toMatchObject({ text: 'a: 1\nb: 1', aside: 'a: 3' })
})

test('what is typed while it is saved is kept, and the saved file is no conflict with it', async () => {
  const draft = edited()
  const saved = { text: 'a: 1\nb: 1', hash: 'three' }
  await draft.saving(async (text, hash) => {
    expect([text, hash]).toEqual(['a: 1\nb: 1', 'one'])
    draft.take(saved)
    draft.edit('a: 1\nb: 12')
    return 'three'
  })
  draft.take(saved)
  expect(draft.current()).toMatchObject({ base: saved, text: 'a: 1\nb: 12', theirs: undefined })
})

test('what could not be saved is as it was', async () => {
  const draft = edited()
  await expect(draft.saving(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  draft.take(second)
  expect(draft.current()).toMatchObject({ base: first, text: 'a: 1\nb: 1', theirs: second })
})
