import { Multipart } from '../src/index.js';

describe('a multipart body', () => {
  test('has a random boundary of 32 alphanumerics by default', () => {
    expect(new Multipart().boundary).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(new Multipart().boundary).not.toBe(new Multipart().boundary);
  });

  test('consists of its parts between boundaries', () => {
    const multipart = new Multipart('b');
    multipart.addFormField('name', 'Alice');
    multipart.addFilePart('file', 'a.txt', 'text', 'text/plain');
    multipart.addFilePart('raw', 'a.bin', '01');
    expect(multipart.finish().split('\r\n')).toEqual([
      '--b',
      'Content-Disposition: form-data; name="name"',
      '',
      'Alice',
      '--b',
      'Content-Disposition: form-data; name="file"; filename="a.txt"',
      'Content-Type: text/plain',
      '',
      'text',
      '--b',
      'Content-Disposition: form-data; name="raw"; filename="a.bin"',
      'Content-Type: application/octet-stream',
      '',
      '01',
      '--b--',
      '',
    ]);
  });

  test('names the charset of form fields when it has one', () => {
    const multipart = new Multipart('b', 'utf-8');
    multipart.addFormField('name', 'Alice');
    expect(multipart.body()).toContain('Content-Type: text/plain; charset=utf-8\r\n\r\nAlice\r\n');
  });

  test('can be built by hand', () => {
    const multipart = new Multipart('b');
    multipart.appendRaw('--b\r\n');
    multipart.addHeaderField('Content-Type', 'text/html');
    multipart.appendRaw('\r\n<p>\r\n');
    expect(multipart.body()).toBe('--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n');
  });

  test('is finished once and closed then', () => {
    const multipart = new Multipart('b');
    expect(multipart.finish()).toBe('--b--\r\n');
    expect(multipart.finish()).toBe('--b--\r\n');
    expect(multipart.body()).toBe('--b--\r\n');
    expect(() => multipart.addFormField('a', 'b')).toThrow('invalid: ');
    expect(() => multipart.appendRaw('a')).toThrow('invalid: ');
  });

  test('lets nobody smuggle in a header', () => {
    const multipart = new Multipart('b');
    multipart.addFilePart('a"\r\nX: 1', 'f"\n', 'text');
    expect(multipart.body()).toContain('name="a%22%0D%0AX: 1"; filename="f%22%0A"\r\n');
    expect(() => multipart.addHeaderField('A', '1\r\nB: 2')).toThrow('invalid: Expected `value`');
    expect(() => multipart.addHeaderField('A\n', '1')).toThrow('invalid: Expected `name`');
    expect(() => multipart.addFilePart('a', 'b', 'c', 'x\r\ny')).toThrow('invalid: Expected `contentType`');
    expect(() => new Multipart('a\r\n')).toThrow('invalid: Expected `boundary`');
    expect(() => new Multipart('')).toThrow('invalid: Expected `boundary`');
    expect(() => new Multipart('b', 'utf-8\r\n')).toThrow('invalid: Expected `charset`');
  });

  test('does not travel in JSON, its boundary does', () => {
    const multipart = new Multipart('b', 'utf-8');
    multipart.addFormField('a', 'b');
    const read = Multipart.fromJSON(multipart.toJSON());
    expect([read.boundary, read.charset, read.body()]).toEqual(['b', 'utf-8', '']);
  });
});
