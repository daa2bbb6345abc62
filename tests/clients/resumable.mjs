// Uploads with tus-js-client against a running server.
//
// Arguments: folder of the installed package, address of the server, address and key of an account.
// Ends with status 0 and a last line that says so when every step has passed.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, server, email, key] = process.argv.slice(2);
const tus = createRequire(join(folder, 'package.json'))('tus-js-client');
const headers = { Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` };

const options = (name, more) => ({
  endpoint: `${server}/api/v1/tus/`,
  headers,
  metadata: { filename: name, filetype: 'application/octet-stream' },
  retryDelays: [0, 200, 1000],
  ...more,
});
// The answer to the last request of an upload.
const uploaded = (content, name, more = {}) =>
  new Promise((resolve, reject) => {
    const onSuccess = ({ lastResponse }) => resolve(lastResponse);
    new tus.Upload(content, options(name, { onSuccess, onError: reject, ...more })).start();
  });
const expectFile = async (answer, content, name) => {
  assert.equal(answer.getStatus(), 200);
  const { url, filename } = JSON.parse(answer.getBody());
  assert.equal(filename, name);
  const found = await fetch(server + url, { headers });
  assert.equal(found.status, 200);
  assert.ok(content.equals(Buffer.from(await found.arrayBuffer())), name);
};

// In one request, whose body is larger than other operations accept.
const large = randomBytes(33 * 1024 * 1024 + 5);
await expectFile(await uploaded(large, 'large.bin'), large, 'large.bin');
// In several; with the creation; empty.
const small = large.subarray(0, 3_000_000);
const chunkSize = 1_000_000;
await expectFile(await uploaded(small, 'small.bin', { chunkSize }), small, 'small.bin');
const uploadDataDuringCreation = true;
const whole = await uploaded(small, 'whole.bin', { uploadDataDuringCreation });
await expectFile(whole, small, 'whole.bin');
const first = await uploaded(small, 'first.bin', { uploadDataDuringCreation, chunkSize });
await expectFile(first, small, 'first.bin');
await expectFile(await uploaded(Buffer.alloc(0), 'empty'), Buffer.alloc(0), 'empty');
const overridePatchMethod = true;
await expectFile(await uploaded(small, 'post.bin', { overridePatchMethod }), small, 'post.bin');

// Interrupted in the middle of a request, it is resumed there.
const answer = await new Promise((resolve, reject) => {
  let isBroken = false;
  const upload = new tus.Upload(
    large,
    options('broken.bin', {
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse),
      onProgress: (sent) => {
        if (isBroken || sent < 10_000_000) return;
        isBroken = true;
        upload.abort().then(() => setTimeout(() => upload.start(), 500), reject);
      },
    }),
  );
  upload.start();
});
await expectFile(answer, large, 'broken.bin');

// After cancellation, it is deleted.
const address = await new Promise((resolve, reject) => {
  const upload = new tus.Upload(
    small,
    options('gone.bin', {
      chunkSize,
      onError: reject,
      onChunkComplete: () => upload.abort(true).then(() => resolve(upload.url), reject),
    }),
  );
  upload.start();
});
const gone = await fetch(address, { method: 'HEAD', headers: { ...headers, 'Tus-Resumable': '1.0.0' } });
assert.equal(gone.status, 404);

// Too large a file is refused at once.
const refused = uploaded(Buffer.alloc(41 * 1024 * 1024), 'huge.bin', { retryDelays: null });
const { originalResponse } = await refused.then(() => assert.fail(), (error) => error);
assert.equal(originalResponse.getStatus(), 413);
assert.equal(originalResponse.getHeader('tus-max-size'), String(40 * 1024 * 1024));

console.log('resumable: all steps passed');
