import type { Language } from '../../domain/activity/vocabulary.ts';
import { en } from './en.ts';
import { id } from './id.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { ms } from './ms.ts';
import type { Phrases } from './phrases.ts';
import { th } from './th.ts';
import { vi } from './vi.ts';
import { zh } from './zh.ts';

/** The phrases of every language. */
export const PHRASES: Readonly<Record<Language, Phrases>> = { en, th, vi, id, ms, zh, ja, ko };
