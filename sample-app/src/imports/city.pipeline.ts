import { Injectable } from '@nestjs/common';
import { type Envelope, envelopePayload, Stage } from '@resolvingarchitecture/nestjs-seda-bus';
import { AGGREGATE, ENRICH, IMPORT_ID, PARSE } from './city.stages.js';
import type { RawCity } from './city-source.js';
import { type City, enrichCity, type EnrichedCity, parseCity } from './city.js';
import { ImportLog } from './import-log.js';

const STAGE = { capacity: 512, hopTimeoutMs: 60_000 };

/**
 * The way of a city. Each stage hands on what it made as the envelope's content. Full stages make whoever comes wait
 * (`Backpressure.Block`, the default): in the end the loop that reads the source, which is what bounds the memory.
 */
@Injectable()
export class CityPipeline {
  constructor(private readonly imports: ImportLog) {}

  @Stage(PARSE, STAGE)
  parse(envelope: Envelope): void {
    envelope.addContent(parseCity(envelopePayload(envelope) as RawCity));
  }

  @Stage(ENRICH, STAGE)
  enrich(envelope: Envelope): void {
    envelope.addContent(enrichCity(envelopePayload(envelope) as City));
  }

  /** One at a time: the sums of an import have one writer. */
  @Stage(AGGREGATE, { ...STAGE, concurrency: 1 })
  aggregate(envelope: Envelope): void {
    this.imports.find(String(envelope.header(IMPORT_ID)))?.add(envelopePayload(envelope) as EnrichedCity);
  }
}
