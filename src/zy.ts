import { instantOf } from './domain/instant.ts'
import { backfillStartMs, significantDigits } from './domain/observation.ts'
import { currencyCode } from './domain/currency.ts'
const N=1e6
const bench=(n:string,f:(i:number)=>unknown)=>{for(let i=0;i<1e4;i++)f(i);const t=performance.now();let x:unknown;for(let i=0;i<N;i++)x=f(i);console.log(n,((performance.now()-t)*1e3/N).toFixed(3),'us',x)}
const ts=Array.from({length:1000},(_,i)=>new Date(1.7e12+i*1e7).toISOString())
bench('instantOf',i=>instantOf(ts[i%1000]!))
bench('Date.parse',i=>Date.parse(ts[i%1000]!))
bench('Date.UTC',i=>Date.UTC(2000+i%20,3,4))
bench('setUTCFullYear',i=>{const d=new Date(0);d.setUTCFullYear(2000+i%20,3,4);return d.getUTCMonth()+d.getUTCDate()})
bench('backfill',i=>backfillStartMs(1.7e12+i))
const rs=Array.from({length:1000},(_,i)=>(100+i*1.234567).toFixed(6))
bench('digits',i=>significantDigits(rs[i%1000]!))
bench('code',i=>currencyCode(i%2?'KES':'NGN'))
bench('hasOwn',i=>Object.hasOwn({a:i},'a'))
