"""The words by which `meaning` and `compare` read statements: data only.

A key that starts with § is a mark: a word whose job is grammar, not subject. Marks in `GHOSTS` may
come and go without changing what is said; every other mark is as strong as a number.
"""

from __future__ import annotations


def _table(lines: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """`a | b c => x y` lines as {("a",): ("x", "y"), ("b", "c"): ("x", "y")}."""
    rows: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        left, right = line.split("=>")
        for phrase in left.split("|"):
            rows[tuple(phrase.split())] = tuple(right.split())
    return rows


def _groups(lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in filter(None, map(str.strip, lines.splitlines())))


REWRITES = _table("""
    please | pls | kindly | btw | by the way | fyi | for your information | nb =>
    note that | please note | please note that | please remember | remember that | remember to =>
    keep in mind | keep in mind that | bear in mind | bear in mind that | as a reminder =>
    do not forget to | never forget to | do not forget that | be sure to | ensure | ensure that =>
    make sure | make sure that | make sure to | be careful to | it is important to =>
    it is important that | from now on | going forward | in future | for now | as of now =>
    of course | in general | generally | as always | at the moment | currently | already =>
    now => §now
    also | too | as well | just | simply | really | actually | very | basically | directly =>
    in this project | in our project | for this project | per our convention | by convention =>
    in the project | on this project | in this codebase | in our codebase | in the codebase =>
    i think | we agreed that | we decided that | it turns out that | turns out | turns out that =>
    we decided to | we agreed to | we have decided to | the team decided to | the fact that =>
    about | roughly | approximately | around | approx | circa | some time | sort of | kind of =>
    any more | anymore | any longer | still | yet | again | either | however | therefore | thus =>
    own | actual | real | given | existing | corresponding =>
    means you should | means you must | means you have to | means that you should =>
    in order to => to
    so that | such that | so => §so
    because | because of | due to | owing to | as a result of | since | thanks to => §because
    given that | on account of => §because
    the cause of | the reason for | the reason => §so

    not | never | no | none | none of | neither | nor | nobody | nothing | nowhere => §not
    no longer | no more | not any | under no circumstances | at no point | on no account => §not
    stop | stops | stopped | stopping | quit | cease | ceased | refrain from | refuse to => §not
    without | w/o | sans | minus => §without
    avoid | avoids | avoided | avoiding | leave out | steer clear of | keep away from => §not
    lack | lacks | lacked | lacking | miss out => §not
    forbid | forbids | forbidden | prohibit | prohibits | prohibited | ban | bans | banned => §not
    disallow | disallows | disallowed | deny | denies | denied | refuse | refuses | refused => §not
    hardly | barely => rarely
    non => §not
    not all | not every | not each | not always => §some
    not only =>
    disable | disables | disabled | disabling | turn off | turns off | turned off => §not enable
    switch off | switches off | switched off | shut off | turning off | deactivate => §not enable
    deactivated | deactivates | is off | are off | off => §not enable
    turn on | turns on | turned on | switch on | switches on | switched on | activate => enable
    activated | activates | is on for | are on for | turning on | switching on => enable
    exclude | excludes | excluded | excluding | leave out of => §not include
    includes | included | including => include
    fail | fails | failed | failing | unsuccessful => §not succeed
    success | successful | succeeds | succeeded | pass | passes | passed | passing => succeed
    dislike | dislikes | disliked | hate | hates => §not like
    disagree | disagrees => §not agree
    disconnect | disconnected | disconnects => §not connect
    ignore | ignores | ignored => §not heed
    skip | skips | skipped | omit | omits | omitted | skipping => §not

    unless => §when §not
    except | except for | except when | apart from | other than | aside from | save for => §except
    besides | but not => §except
    even if | even when | even though | even while | regardless of whether => §even
    regardless of | irrespective of | no matter | whether or not => §even
    only | solely | exclusively | only ever | nothing but => §only
    some | certain | several | many | most | few | a few | various | partly | partially => §some
    a couple of | at times | part of | a subset of => §some
    sometimes | occasionally | seldom | rarely => §sometimes
    usually | often | mostly | normally | typically | frequently => §usually
    all | every | each | any | everything | everyone | anything | both | all of => §all
    always | consistently | at all times | every time | each time | without exception => §all
    whenever | wherever => §all §when
    if | when | once | in case | in the event that | as soon as | upon => §when
    while | during | meanwhile => §while
    as long as | provided that | provided | on condition that | when it comes to | where => §when
    otherwise | or else | or otherwise => §else

    must | have to | has to | had to | needs to | need to | shall | got to | has got to => §must
    need | needs | needed | require | requires | required | requiring | mandatory => §must
    obligatory | compulsory | is supposed to | supposed to | obliged to | necessary => §must
    should | ought to | is expected to | are expected to | expected to => §should
    recommended => §recommended
    may | can | could | might | allowed to | permitted to | able to | free to => §may
    allow | allows | allowed | permit | permits | permitted | welcome to => §may
    not must | not need | not needs | not have to | not need to | optional | optionally => §optional
    no need to | no need for | no need | not necessary | not required | not mandatory => §optional
    unnecessary | not obliged to | voluntary | not needed | need not => §optional

    before | prior to | ahead of => §before
    until | till => §until
    then | and then | followed by | afterwards | after that | afterward | later | next => §then
    after | following | subsequent to | once you have | as soon as you have => §after
    first | firstly | first of all => §first
    last | lastly | finally => §last
    instead of | rather than | in place of | as opposed to | in favour of not => §instead
    over to | to => §to
    into => §to
    from | out of => §from
    than => §than
    versus | vs => §than
    instead => §rather
    in the past tense => past tense
    used to | formerly | previously | in the past => §formerly

    at least | no less than | no fewer than | not less than | minimum of | minimum | min => §min
    at a minimum | a minimum of | or more | or newer | or later | and newer | and up => §min
    and above | and later | minimal | minimally | onwards => §min
    at most | no more than | not more than | maximum of | maximum | max | up to => §max
    a maximum of | or less | or fewer | at the most | maximal | no longer than => §max
    more than | greater than | higher than | larger than | above | exceed | exceeds => §above
    exceeding | exceeded | longer than | bigger than | in excess of | older than => §above
    less than | fewer than | lower than | smaller than | below | beneath => §below
    shorter than | younger than | drops below | drops under | falls below | falls under => §below
    goes below | goes under | smaller than => §below
    goes above | goes over | rises above => §above
    backing off | back off | backs off | back-off => backoff
    > => §above
    < => §below
    >= | ≥ => §min
    <= | ≤ => §max
    != | ≠ | <> => §not

    pull request | pull requests | prs | merge request | merge requests | mr | mrs => pr
    environment variable | environment variables | env var | env vars | envvar => envvar
    env variable | env variables | envvars => envvar
    end to end | end-to-end => e2e
    up to date | up-to-date | current with => uptodate
    for example | for instance | e.g | eg | such as | i.e | ie | that is => §eg
    k8s | k8 | kube => kubernetes
    js => javascript
    ts => typescript
    py => python
    pg | postgresql => postgres
    db | dbs | data base => database
    repo | repos => repository
    config | configs | conf | cfg => configuration
    docs | doc => documentation
    dev | devs => development
    prod => production
    auth => authentication
    authorize | authorise | authorized | authorised | authorization | authz => authorisation
    app | apps => application
    infra => infrastructure
    lib | libs => library
    dep | deps => dependency
    param | params => parameter
    arg | args => argument
    spec | specs => specification
    admin | admins => administrator
    msg | msgs => message
    req | reqs => request
    dir | dirs | directory | directories => folder
    func | fn | funcs => function
    impl => implementation
    perf => performance
    env | envs => environment
    pkg | pkgs => package
    id | ids | identifier | identifiers => id
    info => information
    max. => §max
    readonly | read-only => read §only
    can read but not write | can read but can not write to it => read §only
    import statement | import statements => import
    linter | linters | linting | linted => lint
    formatter | formatters | formatting => format
    checker | checkers => check
    logs => log
    written to the logs | write to the logs | write to the log | written to the log => log
    open source => opensource
    front end | front-end => frontend
    back end | back-end => backend
    time out | times out | timed out | timing out => timeout
    set up | sets up => setup
    roll back | rolls back | rolled back => rollback
    log in | logs in | logged in => login
    sign in | signs in | signed in => login
    sign up | signs up | signed up => signup
    log out | logs out | logged out | sign out => logout
    looks at => look
    check with | consult | talk to | speak to | speak with | get approval from => ask
    depends on | depend on | relies on | rely on | is dependent on => depend
    a dependency of | dependency of | required by | needed by | a prerequisite of => §depended
    twice => 2 times
    thrice => 3 times
    daily => day
    nightly => night
    hourly => hour
    weekly => week
    monthly => month
    yearly | annually | annual => year
    percent | per cent => %
    per => §per
    once a | once per | once every => §all
    or => §or
    break | breaks | broke | broken => §not succeed
    would like | want | wants | wanted | would like to | want to | like to have => want
    belong | belongs | follow | follows | followed =>
    carry | carries | carried =>
    come with | comes with | contain | contains | contained => include
    user name => username
    data set => dataset
    type hint | type hints | type annotation | type annotations | typehint | typehints => typehint
    hash | hashes | hashing | hashed => hash
    in charge of | responsible for | looks after | takes care of => own
    owns | owned | owner | owner of | maintains | maintained | maintainer => own
    is called | are called | is named | are named | called | named => name
    stands for | means => mean
    in parallel | concurrently | concurrent | parallelised | parallelized => parallel
    one by one | sequentially | in sequence | serially => serial
    as written | verbatim => verbatim
    by hand | manually => manual
    lives in | live in | resides in | located in | located at | found in | found at =>
    adhere to | adheres to | stick to | sticks to | conform to | conforms to | comply with =>
    send an alert | raise an alert | trigger an alert | sends an alert => alert
    instead of it | instead of that | instead of them => §rather
    rolled out | roll out | rolls out => rollout
    plus =>
    reach the network | hit the network | access the network | use the network => network
    make network calls | make real network calls | make network requests => network
    midnight => 00:00
    noon | midday => 12:00
""")
"""Phrases, longest first, and what stands for them."""

GHOSTS = frozenset(
    """§so §because §all §when §must §should §eg §else §to §rather §now
    §in §on §at §for §as §of §with §via §through §against""".split()
)
"""Marks that one statement may have and its repetition may lack."""

FOREIGN_REWRITES = {
    "de": _table("""
        nicht | kein | keine | keinen | keiner | keinem | nie | niemals | nein => §not
        ohne => §without
        darf | dürfen | kann | können => §may
        muss | müssen | soll | sollen | sollte | sollten => §must
        muss nicht | müssen nicht | brauchen nicht | braucht nicht => §optional
        vor | bevor => §before
        nach | nachdem => §after
        nur | ausschließlich => §only
        oder => §or
        statt | anstatt | anstelle => §instead
        immer | alle | jede | jeder | jedes | jeden => §all
        bitte | bitte immer => """),
    "es": _table("""
        no | nunca | jamás | ningún | ninguna | tampoco => §not
        sin => §without
        puede | pueden | puedes => §may
        debe | deben | debes => §must
        antes => §before
        después => §after
        solo | sólo | solamente => §only
        o => §or
        en lugar de | en vez de => §instead
        siempre | todos | todas | cada => §all
        por favor => """),
    "fr": _table("""
        ne | n | pas | jamais | aucun | aucune => §non
        plus => §non
        sans => §without
        peut | peuvent | peux => §may
        doit | doivent | dois | faut => §must
        avant => §before
        après => §after
        seulement | uniquement => §only
        ou => §or
        au lieu de | plutôt que => §instead
        toujours | tous | toutes | chaque => §all"""),
    "ru": _table("""
        не | нельзя | нет | никогда | ни | запрещено => §not
        без => §without
        можно | может => §may
        нужно | надо | должен | должны => §must
        не нужно | не надо => §optional
        до | перед => §before
        после => §after
        только => §only
        или => §or
        вместо => §instead
        всегда | все | каждый | каждую | каждое => §all"""),
}
"""The same for the few words by which other languages turn a statement round."""
LOANED = {
    "not": ("§not",),
    "never": ("§not",),
    "without": ("§without",),
    "only": ("§only",),
}
"""English marks that turn a statement of another language round too."""
CJK_NEGATORS = frozenset("不没沒别別勿无無未非禁莫")
CJK_LIGHT = frozenset("願的了是要请請记記住在之就都也把被给給并和与與或这這那我你您们們个個吧呢啊")
JA_NEGATIVE = ("ない", "ません", "なく", "ず", "ぬ", "禁止", "なかった")

FUNCTION = {
    "en": frozenset(
        """
        a an the this that these those it its he him his she her they them their theirs we us our
        ours you your yours i me my mine who whom whose which what there here of in on at for with
        by as via through across within inside onto and but do does did doing done be is are
        was were been being am will would shall have has had having s ll re ve d m use uses used
        using
        utilise utilize utilised utilized employ employs make makes made making perform performs
        performed get gets got getting go goes went gone going come comes happen happens happened
        occur occurs live lives lie lies sit sits reside resides put puts placed place keep keeps
        kept keeping stay stays stayed remain remains remained retain retains retained do take place
        become becomes let lets so such it's against toward towards among between along
        how why say says tell yes ok okay up with run runs ran running execute
        executes executed executing
        """.split()
    ),
    "de": frozenset(
        """
        der die das den dem des ein eine einen einem einer im in am an auf aus bei mit von vom zu
        zum zur für und aber ist sind wird werden wurde worden hat haben ja es wir ihr ich du sie
        man sich als wie auch noch schon beim durch dass wenn
        """.split()
    ),
    "es": frozenset(
        """
        el la los las un una unos unas de del al a en con por para y es son está están ser era
        que se lo le su sus mi tu nos sí si tiene tienen hay como más este esta
        """.split()
    ),
    "fr": frozenset(
        """
        le la les un une des de du au aux à en dans sur avec pour par et est sont être a ont
        que qui se ce cette ces il elle on nous vous je tu son sa ses oui svp l d tourne
        tournent tourner
        lancé lancés lancée lancées lancer exécuté exécutés exécutée exécutées exécuter
        """.split()
    ),
    "ru": frozenset(
        """
        в во на с со из у к по о об и а но что это как для за от мы вы я он она они
        пожалуйста запомни помни да есть быть
        """.split()
    ),
}
"""Words without a subject of their own, dropped from the comparison."""

TELLTALE = {
    "de": frozenset(
        "der die das nicht bitte und ist im auf darf wird werden kein keine für mit sind".split()
    ),
    "es": frozenset("el los las de la del en por para es una que con usa".split()),
    "fr": frozenset(
        "les des le la du sur est une pour dans avec sont chaque et ne pas n ici".split()
    ),
}
SNOWBALL = {"de": "german", "es": "spanish", "fr": "french", "ru": "russian"}

LIGHT = frozenset(
    """
    file code branch folder level format value setting option column function method class
    piece item thing part way side page attempt area section call step entry object instance
    environment message region number time project repository
    """.split()
)
"""Nouns that only name the class of their neighbour: "main" and "the main branch"."""

SYNONYMS = _groups("""
    begin start commence
    end finish
    display show
    send dispatch
    replace substitute
    provide supply
    additional extra further
    sufficient enough
    purpose goal aim
    website site
    picture image photo photograph
    colleague coworker teammate
    approve approval
    immediately instantly
    automatically automatic automated
    monitor watch
    inform notify
    difficult hard
    fake dummy
    hardcode hardcoded
    favourite preferred
    fully completely entirely
    mandatory required
    invoke call
    help assist
    purchase buy
    obsolete outdated
    forever indefinitely
    delete remove erase wipe purge
    full whole entire complete
    build compile
    change modify edit alter adjust
    repair fix resolve
    fetch retrieve obtain
    save persist store
    verify validate
    large big huge
    small little tiny
    short brief concise succinct
    long lengthy verbose
    quick fast rapid
    error exception
    bug defect
    reply answer respond response
    explain explanation explaining describe
    prefer favour favor
    choose pick select chose chosen opt
    old legacy
    url link
    phone telephone
    email mail e-mail
    colour color
    behaviour behavior
    initialise initialize
    licence license
    cancel cancelled canceled
    organise organize
    centre center
    serialise serialize
    optimise optimize
    normalise normalize
    analyse analyze
    synchronous sync
    asynchronous async
    asynchronously async
    synchronously sync
    check inspect examine
    deploy deployment rollout
    enhance improve
    wait await
    index indices indexes
    wrong incorrect
    unique distinct
    identical same
    annotation hint
    raise throw
    dead unused
    ticket issue
    symlink symbolic-link
    idle inactive
    retry reattempt
    login signin
    signup register registration
    duplicate copy
    quote quotation
    newest latest
    oldest earliest
""")

ANTONYMS = _groups("""
    enable disable
    allow deny forbid block reject refuse
    public private internal
    required optional mandatory
    synchronous asynchronous
    sync async
    read write
    add remove delete
    added removed
    include exclude
    ascending descending asc desc
    left right center centre
    top bottom
    upper lower
    faster slower
    fast slow
    quick slow
    better worse
    best worst
    more less fewer
    larger smaller
    high low medium
    higher lower
    increase decrease reduce
    short long detailed lengthy verbose concise brief
    open closed close fixed resolved
    deprecated supported maintained
    shared separate dedicated isolated
    stable unstable experimental
    strict lenient loose
    manual automatic automatically
    single double
    tab space
    local remote global
    true false
    success failure
    succeed fail
    accept reject
    start stop end
    begin end
    first last
    early late
    old new
    newest oldest
    latest earliest
    eager lazy
    mutable immutable
    static dynamic
    online offline
    primary secondary replica
    master slave
    client server
    frontend backend
    input output
    import export
    request response
    push pull
    upload download
    inbound outbound
    incoming outgoing
    encrypt decrypt
    lock unlock
    merge rebase squash split
    keep split remove drop
    warm cold
    hot cold
    light dark
    on off
    up down
    in out
    opt-in opt-out
    sequential parallel
    serial parallel
    split keep
    restricted open
    like dislike
    love hate
    agree disagree
    rich poor
    positive negative
    odd even
    full empty partial
    internal external
    singular plural
    horizontal vertical
    north south east west
    buy sell
    win lose
    always never sometimes
    permanent temporary
    visible hidden
    simple complex
    safe dangerous
    cheap expensive
    strong weak
    wide narrow
    deep shallow
    hard soft easy
    loud quiet
    alive dead
    same different
    approve reject
    present absent
    expand collapse
    connect disconnect
    show hide
    attach detach
    mount unmount
    install uninstall
    subscribe unsubscribe
    load unload
    compress decompress
    grant revoke
""")

CLASSES = _groups("""
    monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
    red blue green yellow orange purple black white grey gray pink brown teal cyan magenta
    production staging development test testing qa preview sandbox local canary
    debug info information warning warn error critical fatal trace notice
    english french german spanish italian japanese chinese russian portuguese dutch korean polish
    python java javascript typescript go golang rust ruby php kotlin swift scala c elixir perl
    npm pnpm yarn bun
    jest vitest mocha jasmine ava
    pytest unittest nose
    postgres mysql mariadb sqlite mongodb oracle duckdb cockroachdb
    redis memcached rabbitmq kafka nats
    poetry pip pipenv uv conda pdm
    terraform pulumi cloudformation ansible
    webpack vite rollup esbuild parcel turbopack
    react vue svelte angular solid preact
    django flask fastapi starlette
    aws gcp azure
    docker podman
    bcrypt argon2 argon2id scrypt pbkdf2 md5 sha1 sha256
    json yaml toml xml ini csv
    rest graphql grpc soap websocket websockets
    markdown restructuredtext asciidoc html
    morning afternoon evening night noon midnight
    second minute hour day week month quarter year millisecond
    cent dollar euro
    tab space
    integer uuid string float boolean
    utc local gmt
    merge rebase squash
    jenkins circleci travis buildkite
    eslint biome prettier
    black ruff flake8 pylint yapf
    spring summer autumn winter fall
    rem em px pixel
""")
"""Words of which a statement holds one at a time: another one of the class is another value."""

NUMBERS = {
    word: value
    for value, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen""".split()
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
ORDINAL = frozenset("st nd rd th".split())

UNITS = {
    spelling: name
    for name, spellings in {
        "second": "s sec secs second seconds segundo segundos sekunde sekunden seconde secondes 秒",
        "millisecond": "ms msec msecs millisecond milliseconds milisegundos 毫秒",
        "microsecond": "us µs μs microsecond microseconds",
        "nanosecond": "ns nanosecond nanoseconds",
        "minute": "min mins minute minutes minuto minutos minuten 分钟 分",
        "hour": "h hr hrs hour hours hora horas stunde stunden heure heures 小时 时间",
        "day": "d day days día días dia dias tag tage tagen jour jours 天",
        "week": "w wk wks week weeks semana semanas woche wochen semaine semaines 周",
        "month": "mo month months mes meses monat monate mois 个月",
        "year": "y yr yrs year years año años jahr jahre an ans 年",
        "byte": "b byte bytes",
        "kilobyte": "kb kilobyte kilobytes k",
        "megabyte": "mb megabyte megabytes m meg megs",
        "gigabyte": "gb gigabyte gigabytes g gig gigs",
        "terabyte": "tb terabyte terabytes",
        "kibibyte": "ki kib",
        "mebibyte": "mi mib",
        "gibibyte": "gi gib",
        "%": "% percent pct prozent",
        "pixel": "px pixel pixels",
        "times": "x times time",
        "character": "char chars character characters",
    }.items()
    for spelling in spellings.split()
}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}

IDENTIFYING = frozenset(
    """issue ticket pr bug step phase chapter section case rule task story epic sprint milestone
    question item example line row page table figure commit build job error http reason release
    team region room building floor zone layer tier adr rfc pep shard worker host tenant
    replica partition instance group #""".split()
)
"""Nouns whose number is a name: "issue 12" and "issue 14" are two subjects, not one changed."""

MANY_VALUED = frozenset(
    """use have has depend support include contain like know import need require provide own want
    offer define handle accept consist speak expose implement add live-with visit play enjoy love
    hate list cover export show ship read write run check call avoid edit test log hold report send
    """.split()
)
"""Predicates that hold for several objects at once, so another object changes nothing."""

GATHERING = frozenset("depend rely consist subscribe link integrate connect".split())
"""Verbs whose first phrase holds for several nouns at once: "depends on X"."""
CHOOSING = frozenset("use prefer choose pick favour favor adopt".split())
"""Verbs whose object is one choice where its purpose is said: "use X for", "prefer X over"."""
FUNCTIONAL = frozenset("target return cost equal mean follow name".split())
"""Verbs that have one object at a time."""
PARTICIPLES = frozenset("born worn torn sworn done hung sung".split())
"""Participles that their ending does not betray."""
NAMING = frozenset("named called titled labelled labeled spelt spelled".split())
PLACING = frozenset(
    """put place store keep save write read load name set pin indent format sort order answer reply
    respond host deploy compile build install manage serve mount bind move
    leave mark treat limit cap give render""".split()
)
"""Imperatives that a phrase completes: "put it in X", "name it in X", "set it to X"."""

VALUE_PREPOSITIONS = frozenset(
    "in on at to into from with as over by via against under through after behind".split()
)
TOPIC_PREPOSITIONS = frozenset(
    "for when if before because while unless once during about of since whenever across".split()
)
SCOPES = frozenset("in on at for before after during when if with under while unless".split())
"""Words that open a phrase saying where, when or for what a statement holds."""
SUBORDINATORS = frozenset("when if before after because while unless once during until".split())
ARGUMENTS = frozenset("to into from as by via over through with".split())
"""Prepositions of what a verb asks for, wherever they stand: to a goal, from a source, by means."""
COPULAS = frozenset("is are was were be been".split())
VERBS = frozenset(
    """
    is are was were be has have had must should may can will need needs require requires use uses
    run runs own owns write writes read reads call calls return returns raise raises listen listens
    depend depends live lives sit sits go goes expire expires apply applies target targets support
    supports talk talks post posts take takes get gets prefer prefers like likes dislike want wants
    manage manages deploy deploys store stores start starts stay stays hold holds time times send
    sends keep keeps come comes log logs share shares speak speaks play plays die died work works
    worked add adds set sets serve serves fail fails failed pass passes succeeded know knows handle
    handles receive receives contain contains include includes accept accepts stop stops stopped
    fetch fetches load loads sort sorts point points belong belongs match matches mean means
    show shows validate validates retry retries cost costs throw throws respond responds flow flows
    ship ships close closes open opens break breaks render renders hash hashes cache caches
    compress compresses sync syncs trigger triggers expose exposes wrote founded wipe wipes delete
    deletes merge merges drop drops create creates exit exits begin begins end ends report reports
    restarts pays equal equals follow follows reset resets expects connects publishes emits stores
    persists polls reloads joins resolves redirects converts inherits extends wraps generates
    produces consumes rejects ignores skips rotates refreshes compiles installs updates removes
    replaces becomes contains lists closes rounds escapes parses encrypts terminates subscribes
    proxies forwards binds mounts see sees
    """.split()
)
IMPERATIVES = frozenset(
    """
    use run set put keep name pin build pull push call ask read raise sort indent retry give
    upgrade enable disable include exclude merge copy rename prefer commit deploy invalidate send
    alert scale reject allow deny add remove delete write store place start stop avoid always never
    do don't call return lint format test check ensure import export answer reply choose pick
    force-push clear rotate cache log wrap mark bump create open close document validate squash
    rebase generate configure install update move load seed restart monitor treat follow limit
    cap tag label render show hide reuse mock stub split group order convert escape parse hash
    encrypt sign verify review approve assign only prefix suffix quote throw catch handle fetch
    query index partition shard back restore drain schedule trigger expose serve bind mount
    compile rebuild edit modify touch publish upload download save skip notify escape host leave
    respond adopt favour favor force
    """.split()
)
CHANGE_WORDS = frozenset(
    """switched switch moved move migrated migrate replaced replace changed renamed upgraded
    downgraded dropped abandoned now instead anymore longer updated raised lowered bumped
    reverted adopted""".split()
)
"""Words by which a statement says of itself that it replaces an older one."""

MODALS = frozenset("must should may can will".split())
FINITE = frozenset(
    "takes needs uses requires depends listens expires lives runs returns holds".split()
)
"""Verbs before which a word spelt like a command is a noun: "build takes"."""
AUXILIARIES = COPULAS | frozenset("has have had must should may can will got".split())
ATTRIBUTES = frozenset(
    """limit timeout port default level colour color capital author name version owner region branch
    deadline date address path password-policy language strategy format size budget threshold
    maximum minimum max min interval ttl offset host url endpoint-url provider broker driver
    maintainer lead chairperson director head president founder spouse ceo officer headquarters
    position citizenship sport genre title theme font width height weight indent status state
    mode policy convention style standard engine backend database framework editor shell
    timezone locale currency manager child licence license""".split()
)
"""Nouns that have one value at a time."""
PREFIXES = frozenset("un in im ir il dis non de mis a".split())
UNSTEMMED = frozenset(
    """production important internal internals container containers general university authority
    organisation organization community international relative executive policy policies""".split()
)
"""Words whose stem is the stem of another word, as production and product."""
IRREGULAR = {
    form: base
    for base, forms in {
        "build": "built",
        "rebuild": "rebuilt",
        "write": "wrote written",
        "rewrite": "rewrote rewritten",
        "overwrite": "overwrote overwritten",
        "send": "sent",
        "hold": "held",
        "break": "broke broken",
        "choose": "chose chosen",
        "take": "took taken",
        "give": "gave given",
        "find": "found",
        "show": "shown",
        "throw": "threw thrown",
        "know": "knew known",
        "grow": "grew grown",
        "begin": "began begun",
        "hide": "hid hidden",
        "bring": "brought",
        "catch": "caught",
        "leave": "left-behind",
        "lose": "lost",
        "pay": "paid",
        "meet": "met",
        "spend": "spent",
        "draw": "drew drawn",
        "drive": "drove driven",
        "fall": "fell fallen",
        "forget": "forgot forgotten",
        "freeze": "froze frozen",
        "override": "overrode overridden",
        "sell": "sold",
        "buy": "bought",
        "speak": "spoke spoken",
        "tell": "told",
        "say": "said",
        "steal": "stole stolen",
        "bind": "bound",
        "mean": "meant",
        "slow": "slowness",
    }.items()
    for form in forms.split()
}
FOREIGN = {
    "datenbank": "database",
    "db": "database",
    "prueba": "test",
    "pruebas": "test",
    "tests": "test",
    "config": "configuration",
    "repo": "repository",
}
MONTHS = frozenset(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec""".split()
)

OPENERS = frozenset("note remember reminder important remark hint tip".split())
"""Words that announce a statement when they open it and are words like others elsewhere."""
COMMANDS = frozenset(
    """make npm pnpm yarn git docker kubectl cargo go pip poetry uv just pytest tox nox npx helm
    terraform compose bundle rake mvn gradle""".split()
)
"""Programs; the words after one are spelt, not meant."""
HOLDING = {
    verb: group
    for group, verbs in enumerate(
        _groups("""
        use utilise utilize employ
        run execute
        keep retain stay remain
        put place
        make
        do
        get
        let
        """)
    )
    for verb in verbs
}
"""Imperatives without a subject of their own, by what they ask."""
