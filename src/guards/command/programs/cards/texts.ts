// Programs that show, count, compare or filter texts: what they are given is read, and a few write a file that is named.

import { family, table } from '../files.ts';

const readers = family(
  `
  reads files: read…
    % a .env → read a; read .env; secret .env (environment)
    % - → nothing
`,
  `
cat gcat pg uuencode rev tsort fx soelim zsoelim eqn tbl pic sqldiff otool size pdfinfo
tac | s/separator= | s separator
nl | b= d= f= h= i= l= n= s= v= w= | b d f h i l n s v w
head | n/lines= c/bytes= | n lines c bytes
tail | n/lines= c/bytes= pid= s/sleep-interval= max-unchanged-stats= | n lines c bytes pid s sleep-interval max-unchanged-stats
od | A= t= N= j= S= | A t N j S
hd | n= s= | n s
hexyl | n/length= c= s/skip= border= color= | n length c s skip border color
strings | n/bytes= t/radix= e/encoding= s= T= min-len= | n bytes t radix e encoding s T min-len
base32 basenc | w/wrap= | w wrap
ascii85 basez colrm col recode csvcut csvlook csvstat zdiff zcmp msgconv msgcat msguniq msgmerge msgattrib gpgtar | o= c= w= t= i= l= n= s= f= C= N= T= d= r= e= g= | o c w t i l n s f C N T d r e g
md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum xxhsum cksum sum crc32 | a/algorithm= l/length= s= | a algorithm l length s
shasum | a/algorithm= l/length= | a algorithm l length
fold | w/width= | w width
fmt | w/width= p/prefix= g/goal= | w width p prefix g goal
pr | h/header= l/length= w/width= o/indent= N= D= | h header l length w width o indent N D
ul | t= | t
expand unexpand | t/tabs= | t tabs
column | table s/separator= o/output-separator= c/output-width= N/table-columns= R= H= l= n= r= i= p= T= E= O= W= | s separator o output-separator c output-width N table-columns R H l n r i p T E O W
  column -t a → read a
  column --table a → read a
cut | b/bytes= c/characters= d/delimiter= f/fields= output-delimiter= | b bytes c characters d delimiter f fields output-delimiter
paste | d/delimiters= | d delimiters
join | 1= 2= a= e= j= o= t= v= | 1 2 a e j o t v
comm | output-delimiter= | output-delimiter
colordiff | U= W= | U W
diff3 | L= | L
cmp | i= n= | i n
difft | display= color= context= | display color context
diffstat | p= | p
wdiff | w= x= y= z= | w x y z
xmlstarlet | m= v= n= e= o= c= | m v n e o c
nroff troff | m= T= | m T
groff | m= T= K= | m T K
aspell | d/dict= l/lang= p= | d dict l lang p
hunspell | d= p= | d p
lp | d= n= o= t= h= U= i= q= H= P= | d n o t h U i q H P
lpr | P= #= o= T= | P # o T
pv | s= L= N= i= w= H= R= B= | s L N i w H R B
nm | f= t= | f t
objdump | j= M= m= b= | j M m b
readelf | x= p= | x p
plantuml | t= o= | t o
ast-grep | p/pattern= l/lang= r/rewrite= | p pattern l lang r rewrite
wc | files0-from= total= | files0-from total
  reads a list of files: files0-from=read
    wc --files0-from=a → read a
    wc a → nothing
hexdump | e= f= n= s= | e f n s
  reads formats: f=read
    hexdump -f a b → read a
    hexdump a → nothing
dasel | f/file= r/read= w/write= p= s= | f file r read w write p s
  reads the file that is named: file=read
    dasel -f a b → read a
    dasel a → nothing
file | m/magic-file= f/files-from= F= e= P= exclude= separator= M= parameter= | m magic-file f files-from F e P exclude separator M parameter
  reads lists of files and of what marks a kind: f,m=read
    file -f a → read a
    file -m a b → read a
    file a → nothing
base64 | i= o= w/wrap= b= | i o w wrap b
  reads and writes the files that are named: i=read o=write
    base64 -i a → read a
    base64 -o a → write a (overwrite)
    base64 a → nothing
sdiff | o/output= w= | o output w
  writes the file that is named: o=write
    sdiff a b -o c → write c (overwrite)
    sdiff a b → nothing
iconv | f/from-code= t/to-code= o/output= | f from-code t to-code o output
  writes the file that is named: o=write
    iconv a --output=b → write b (overwrite)
    iconv a → nothing
uconv | f= t= x= o= | f t x o
  writes the file that is named: o=write
    uconv a -o b → write b (overwrite)
    uconv a → nothing
xsltproc | o/output= param= stringparam= | o output param stringparam
  writes the file that is named: o=write
    xsltproc a --output b → write b (overwrite)
    xsltproc a → nothing
tidy | o= f= config= | o f config
  writes the file that is named: o=write
    tidy -o b a → write b (overwrite)
    tidy a → nothing
xmllint | output= xpath= schema= encode= o= | output xpath schema encode o
  writes the file that is named: output,o=write
    xmllint --output b a → write b (overwrite)
    xmllint -o b a → write b (overwrite)
    xmllint a → nothing
diff | U= C= W= x= X= I= L= label= F= to-file= from-file= exclude= width= ignore-matching-lines= show-function-line= D= ifdef= exclude-from= S= starting-file= horizon-lines= old-group-format= new-group-format= unchanged-group-format= changed-group-format= line-format= old-line-format= new-line-format= unchanged-line-format= | U C W x X I L label F to-file from-file exclude width ignore-matching-lines show-function-line D ifdef exclude-from S starting-file horizon-lines old-group-format new-group-format unchanged-group-format changed-group-format line-format old-line-format new-line-format unchanged-line-format
  reads the file that all others are compared with: from-file,to-file=read
    diff --from-file=a b → read a
    diff --to-file a b → read a
    diff a b → nothing
`,
);

const queries = family(
  `
  reads files behind what is looked for: skip read…
    % a b .env → read b; read .env; secret .env (environment)
    % a → nothing
`,
  `
mlr | f= n= | f n
look | t= | t
xsv | d= o= | d o
  writes the file that is named: o=write
    xsv cat a -o b → write b (overwrite)
    xsv cat a → nothing
`,
);

const filters = family(
  `
  reads one file and writes another: read write
    % a b → read a; write b (overwrite)
    % → nothing
`,
  `
uniq | f/skip-fields= s/skip-chars= w/check-chars= | f skip-fields s skip-chars w check-chars
xxd | c/-cols= g/-groupsize= l/-len= s/-seek= o= n/-name= R= -bits -ps | c -cols g -groupsize l -len s -seek o n -name R
  xxd -ps -bits a b → read a; write b (overwrite)
pdftotext | f= l= r= x= y= W= H= enc= eol= | f l r x y W H enc eol
ps2pdf pdf2ps
qpdf | encrypt= password= | encrypt password
wkhtmltopdf | page-size= margin-top= | page-size margin-top
tesseract | l= psm= oem= c= | l psm oem c
`,
);

const others = table(`
shuf gshuf | o/output= n/head-count= i/input-range= e/echo random-source= | o output n head-count i input-range random-source
  reads files, where its words are no lines: !echo?read…
    shuf a b -n 1 → read a; read b
    shuf -e a → nothing
    shuf --echo a → nothing
  writes the file that is named: o=write
    shuf a -o b → write b (overwrite)
    shuf a → nothing
uudecode | o= | o
  reads files and writes the one that is named: read… o=write
    uudecode a b -o c → read a; read b; write c (overwrite)
    uudecode → nothing
sponge
  writes a file from what it reads: write[+input]…
    $NETWORK | sponge a b → write a (overwrite) = - from network; write b (overwrite) = - from network
    sponge → nothing
`);

export const cards = [...readers, ...queries, ...filters, ...others];
