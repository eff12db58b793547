import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { fileTrouble } from './file-trouble.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: something, open '/home/x/.iris/token'`), {
    code,
    path: '/home/x/.iris/token',
  })
}

test.each([
  ['EACCES', 'permission denied'],
  ['EPERM', 'the system does not allow it'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'your quota on that disk is used up'],
  ['EEXIST', 'what is in its place is not a directory'],
  ['EISDIR', 'a directory is in its place'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOTSUP', 'it is not a regular file of normal size'],
])('%s names the file and says what to do', (code, why) => {
  const error = fileTrouble(systemError(code))
  expect(error).toMatchObject({
    code: 'file_refused',
    message: `/home/x/.iris/token cannot be used: ${why} (${code}).`,
  })
  expect(error?.remedy).not.toBe('')
})

test('a directory in which nothing can be made is named', () => {
  const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdir', path: '/proc/x' })
  expect(fileTrouble(error)?.message).toMatch(/^\/proc\S* cannot be used: /)
  expect(fileTrouble(Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' }))).toBeUndefined()
})

test('a link that leads to nothing is named, and its missing target is not', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'daemon.log')
  symlinkSync('/nowhere/x', path)
  expect(fileTrouble(Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open', path }))?.message).toBe(
    `${path} cannot be used: its link points nowhere (ENOENT).`,
  )
})

test('what is no fault of files stays what it is', () => {
  expect(fileTrouble(systemError('ECONNRESET'))).toBeUndefined()
  expect(fileTrouble(new Error('a fault of Iris'))).toBeUndefined()
})
