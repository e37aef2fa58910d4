/**
 * Keeps zod from compiling its parsers with `new Function`, which the content security policy refuses.
 * Zod decides when a schema is made, so this must be imported before everything that makes one.
 */
import { z } from "zod";

z.config({ jitless: true });
