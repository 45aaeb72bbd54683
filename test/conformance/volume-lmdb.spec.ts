import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdbStore } from '@resolvingarchitecture/nestjs-seda-bus/lmdb';
import { describeVolume } from './volume.js';

const root = mkdtempSync(join(tmpdir(), 'seda-volume-'));
let stores = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

describeVolume('on LMDB', () => lmdbStore({ path: join(root, String(stores++)) }));
