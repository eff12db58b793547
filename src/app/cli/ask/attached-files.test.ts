import { expect, test } from 'vitest'
import { TestContext } from '../../../../test/support/command-context.ts'
import { attachedFiles } from './attached-files.ts'

test('a file without an end is refused once more than is taken has come', async () => {
  await expect(attachedFiles(new TestContext({ env: {} }), ['/dev/zero'])).rejects.toMatchObject({
    code: 'invalid_input',
    message: '/dev/zero is larger than 10485760 bytes, the limit for an attached file.',
  })
})
