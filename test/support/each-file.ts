// Runs anew for every test file, also where files share a process and their modules.
import { afterAll } from 'vitest';
import { closeOpened } from './opened.ts';

afterAll(closeOpened);
