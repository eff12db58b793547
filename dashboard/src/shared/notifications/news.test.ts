import { expect, test } from 'vitest'
import { newsOfAll } from './news.ts'

const news = (tag: string) => ({ tag, title: `${tag} needs you`, body: '', path: `/${tag}` })

test('several things are one notification, which leads to the inbox; nothing is told twice', () => {
  expect(newsOfAll([], new Set())).toBeUndefined()
  expect(newsOfAll([news('a'), news('a')], new Set())).toEqual(news('a'))
  expect(newsOfAll([news('a'), news('b')], new Set(['a']))).toEqual(news('b'))
  expect(newsOfAll([news('a')], new Set(['a']))).toBeUndefined()
  expect(newsOfAll([news('a'), news('b'), news('c')], new Set(['c']))).toEqual({
    tag: 'inbox',
    title: '2 need you',
    body: 'a needs you\nb needs you',
    path: '/',
  })
})
