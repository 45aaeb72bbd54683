import {
  CONTENT,
  DocumentMessage,
  ENTITY,
  Envelope,
  EventType,
  EXCEPTIONS,
  HEADER_AUTHORIZATION,
  HEADER_CONTENT_DISPOSITION,
  HEADER_CONTENT_TRANSFER_ENCODING,
  HEADER_CONTENT_TYPE,
  HEADER_CONTENT_TYPE_JSON,
  HEADER_USER_AGENT,
} from '../src/index.js';
import { overTheWire } from './fixtures.js';

describe('the headers of an envelope', () => {
  test('are set, read, found and removed by name', () => {
    const envelope = new Envelope();
    expect(envelope.headerExists('a')).toBe(false);
    expect(envelope.header('a')).toBeUndefined();
    expect(envelope.removeHeader('a')).toBe(false);
    envelope.setHeader('a', 1);
    envelope.setHeader('a', { deep: true });
    expect(envelope.headerExists('a')).toBe(true);
    expect(envelope.header('a')).toEqual({ deep: true });
    expect(envelope.removeHeader('a')).toBe(true);
    expect(envelope.headers).toEqual({});
  });

  test('are told apart by case', () => {
    const envelope = new Envelope();
    envelope.setHeader('Accept', 1);
    expect(envelope.headerExists('accept')).toBe(false);
  });

  test('exist even when their value is undefined', () => {
    const envelope = new Envelope();
    envelope.setHeader('a', undefined);
    expect(envelope.headerExists('a')).toBe(true);
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('do not contain %s by inheritance', (name) => {
    const envelope = new Envelope();
    envelope.setHeader('a', 1);
    expect(envelope.header(name)).toBeUndefined();
    expect(envelope.headerExists(name)).toBe(false);
    expect(envelope.removeHeader(name)).toBe(false);
  });

  test('refuse the name __proto__', () => {
    expect(() => new Envelope().setHeader('__proto__', {})).toThrow('invalid: Expected a key other than `__proto__`');
  });

  test('name the content type, if it is text', () => {
    const envelope = new Envelope();
    expect(envelope.contentType()).toBeUndefined();
    envelope.setContentType(HEADER_CONTENT_TYPE_JSON);
    expect(envelope.contentType()).toBe('application/json');
    expect(envelope.header('Content-Type')).toBe('application/json');
    envelope.setHeader(HEADER_CONTENT_TYPE, 5);
    expect(envelope.contentType()).toBeUndefined();
  });

  test('have well-known names', () => {
    expect([HEADER_AUTHORIZATION, HEADER_CONTENT_DISPOSITION]).toEqual(['Authorization', 'Content-Disposition']);
    expect([HEADER_CONTENT_TRANSFER_ENCODING, HEADER_USER_AGENT]).toEqual(['Content-Transfer-Encoding', 'User-Agent']);
  });
});

describe('an envelope with a document', () => {
  test('keeps content, entity and pairs in the first record', () => {
    const envelope = Envelope.document();
    const content = { total: 12 };
    expect(envelope.content()).toBeUndefined();
    expect([envelope.addContent(content), envelope.addEntity('order'), envelope.addNvp('n', 1)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(envelope.content()).toBe(content);
    expect(envelope.entity()).toBe('order');
    expect(envelope.value('n')).toBe(1);
    expect(envelope.values()).toEqual({ CONTENT: content, ENTITY: 'order', n: 1 });
    expect([CONTENT, ENTITY, EXCEPTIONS]).toEqual(['CONTENT', 'ENTITY', 'EXCEPTIONS']);
  });

  test('replaces what is added again', () => {
    const envelope = Envelope.document();
    envelope.addContent(1);
    envelope.addContent(undefined);
    expect(envelope.content()).toBeUndefined();
  });

  test('lists exceptions in the order they were added', () => {
    const envelope = Envelope.document();
    const error = new TypeError('second');
    expect(envelope.exceptions()).toEqual([]);
    expect(envelope.addException('first')).toBe(true);
    envelope.addException(error);
    expect(envelope.exceptions()).toEqual(['first', error]);
    expect(envelope.exceptions()?.[1]).toBe(error);
  });

  test('writes an exception that is an Error as its text', () => {
    const envelope = Envelope.document();
    envelope.addException(new TypeError('no'));
    envelope.addException({ code: 5 });
    expect(Envelope.fromJSON(overTheWire(envelope)).exceptions()).toEqual(['TypeError: no', { code: 5 }]);
  });

  test('works on a document without any record', () => {
    const envelope = new Envelope('1', new DocumentMessage([]));
    expect([envelope.content(), envelope.entity(), envelope.exceptions()]).toEqual([undefined, undefined, []]);
    expect(envelope.message?.toJSON()).toEqual({ kind: 'document', data: [] });
    envelope.addContent(1);
    expect(envelope.message?.toJSON()).toEqual({ kind: 'document', data: [{ CONTENT: 1 }] });
  });

  test('does not find what records inherit, and refuses __proto__', () => {
    const envelope = Envelope.document();
    expect(envelope.value('constructor')).toBeUndefined();
    expect(() => envelope.addNvp('__proto__', {})).toThrow('invalid: ');
  });
});

describe.each([
  ['a command', Envelope.command],
  ['an event', () => Envelope.event(EventType.Error)],
  ['a text', Envelope.text],
  ['no message', Envelope.headersOnly],
])('an envelope with %s', (_, make) => {
  test('has no document to access', () => {
    const envelope = make();
    const added = [envelope.addContent(1), envelope.addEntity(1), envelope.addException(1), envelope.addNvp('n', 1)];
    expect(added).toEqual([false, false, false, false]);
    const read = [envelope.content(), envelope.entity(), envelope.exceptions(), envelope.value('n'), envelope.values()];
    expect(read).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

describe('error messages', () => {
  test('are kept by the message, of whatever kind', () => {
    for (const envelope of [
      Envelope.document(),
      Envelope.command(),
      Envelope.event(EventType.Error),
      Envelope.text(),
    ]) {
      expect(envelope.errorMessages()).toEqual([]);
      expect(envelope.addErrorMessage('one')).toBe(true);
      expect(envelope.errorMessages()).toEqual(['one']);
      expect(envelope.message?.toJSON()).toHaveProperty('error_messages', ['one']);
      envelope.message?.clearErrorMessages();
      expect(envelope.message?.toJSON()).not.toHaveProperty('error_messages');
    }
  });

  test('are refused without a message', () => {
    expect(Envelope.headersOnly().addErrorMessage('one')).toBe(false);
    expect(Envelope.headersOnly().errorMessages()).toEqual([]);
  });
});

describe('a message', () => {
  test('is itself as its own kind and undefined as any other', () => {
    const views = ['asDocument', 'asCommand', 'asEvent', 'asText'] as const;
    const envelopes = [Envelope.document(), Envelope.command(), Envelope.event(EventType.Error), Envelope.text()];
    envelopes.forEach(({ message }, kind) => {
      views.forEach((view, index) => expect(message?.[view]()).toBe(index === kind ? message : undefined));
    });
  });

  test('that is a document gets and puts on its first record', () => {
    const message = new DocumentMessage();
    message.put('a', 1);
    expect(message.get('a')).toBe(1);
    expect(message.get('toString')).toBeUndefined();
    expect(message.primary()).toBe(message.data[0]);
    expect(new DocumentMessage([]).get('a')).toBeUndefined();
  });
});
