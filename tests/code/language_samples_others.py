"""Small projects in C#, Ruby, PHP and Bash."""

from __future__ import annotations

from language_tools import Sample

C_SHARP = Sample(
    files={
        "Shop/Store.cs": """
            using System;
            using System.Collections.Generic;
            using Shop.Model;
            using Row = Shop.Model.Line;

            namespace Shop.Stores
            {
                public interface IKeeper { int Size(); }

                public class Base
                {
                    protected void Reset() { }
                }

                /// <summary>Keeps orders.</summary>
                [Serializable]
                public partial class Store : Base, IKeeper
                {
                    private readonly List<Order> _orders = new List<Order>();
                    public Order First { get; set; }
                    private const int Limit = 10;

                    public Store(Order first)
                    {
                        this.First = first;
                    }

                    public int Size() => _orders.Count;

                    public void Add(Order order)
                    {
                        order.Total();
                        First.Total();
                        Reset();
                        this.Report();
                        foreach (var one in _orders)
                        {
                            one.Total();
                        }
                        Row row = new Row();
                        row.Price();
                    }

                    public void Add(Order order, int count) { Add(order); }
                }
            }
        """,
        "Shop/Store.Report.cs": """
            namespace Shop.Stores
            {
                public partial class Store
                {
                    public int Report() { return Size(); }
                }
            }
        """,
        "Shop/Order.cs": """
            namespace Shop.Model;

            public record Order(int Id)
            {
                public int Total() { return new Line().Price(); }
            }

            public class Line
            {
                public int Price() { return 1; }
            }

            public enum State { Open, Done }
        """,
        "Shop/Program.cs": """
            using Shop.Model;

            namespace Shop.Stores.Run
            {
                public static class Program
                {
                    public static void Main()
                    {
                        var store = new Store(new Order(1));
                        store.Add(new Order(2), 3);
                        store?.Size();
                        store.First.Total();
                        Console.WriteLine("x");
                        Unknown(store);
                    }
                }
            }
        """,
    },
    definitions="""
        Shop/Store.cs:8 type IKeeper
        Shop/Store.cs:16 class Store
        Shop/Store.cs:23 method Store.Store
        Shop/Store.cs:30 method Store.Add
        Shop/Store.cs:44 method Store.Add#2
        Shop/Store.cs:19 variable Store._orders
        Shop/Store.cs:20 variable Store.First
        Shop/Store.Report.cs:5 method Store.Report
        Shop/Order.cs:3 class Order
        Shop/Order.cs:13 type State
    """,
    edges="""
        Shop/Store.cs Store inherits Shop/Store.cs Base
        Shop/Store.cs Store inherits Shop/Store.cs IKeeper
        Shop/Store.cs Store.Add calls Shop/Order.cs Order.Total
        Shop/Store.cs Store.Add calls Shop/Store.cs Base.Reset
        Shop/Store.cs Store.Add calls Shop/Store.Report.cs Store.Report
        Shop/Store.cs Store.Add calls Shop/Order.cs Line
        Shop/Store.cs Store.Add calls Shop/Order.cs Line.Price
        Shop/Store.cs Store.Add#2 calls Shop/Store.cs Store.Add
        Shop/Store.Report.cs Store.Report calls Shop/Store.cs Store.Size
        Shop/Order.cs Order.Total calls Shop/Order.cs Line
        Shop/Order.cs Order.Total calls Shop/Order.cs Line.Price
        Shop/Program.cs Program.Main calls Shop/Store.cs Store.Store
        Shop/Program.cs Program.Main calls Shop/Order.cs Order
        Shop/Program.cs Program.Main calls Shop/Store.cs Store.Add#2
        Shop/Program.cs Program.Main calls Shop/Store.cs Store.Size
        Shop/Program.cs Program.Main calls Shop/Order.cs Order.Total
    """,
    unresolved="""
        Shop/Program.cs Unknown
        Shop/Program.cs Console.WriteLine
    """,
    docs={"Store": "<summary>Keeps orders.</summary>"},
)

RUBY = Sample(
    files={
        "lib/shop.rb": """
            require 'json'
            require_relative 'shop/store'

            module Shop
              def self.run
                store = Store.new('main')
                store.add(Order.new(1))
                store.first.total
                unknown_thing(store)
                top_helper(store)
                Shop::Report.new.build
              end
            end
        """,
        "lib/shop/report.rb": """
            class Shop::Report < Shop::Base
              def build
                reset
                self.class.name_of
              end

              def self.name_of; end
            end

            def top_helper(x); end
        """,
        "lib/shop/store.rb": """
            require 'shop/order'

            module Shop
              module Keeping
                def keep; size; end
              end

              class Base
                def reset; end
              end

              # Keeps orders.
              class Store < Base
                include Keeping

                LIMIT = 10
                attr_reader :first

                def initialize(name)
                  @name = name
                  @first = Order.new(1)
                end

                def add(order)
                  @first.total
                  reset
                  self.size
                  keep
                  Order.make.total
                end

                def size
                  @orders ||= []
                  @orders.length
                end
              end
            end
        """,
        "lib/shop/order.rb": """
            module Shop
              class Order
                def initialize(id)
                  @id = id
                end

                def self.make
                  new(2)
                end

                def total
                  1
                end
              end
            end
        """,
    },
    definitions="""
        lib/shop.rb:4 type Shop
        lib/shop.rb:5 method Shop.run
        lib/shop/store.rb:4 type Shop.Keeping
        lib/shop/store.rb:13 class Shop.Store
        lib/shop/store.rb:19 method Shop.Store.initialize
        lib/shop/store.rb:24 method Shop.Store.add
        lib/shop/store.rb:16 variable Shop.Store.LIMIT
        lib/shop/store.rb:20 variable Shop.Store.name
        lib/shop/order.rb:7 method Shop.Order.make
        lib/shop/report.rb:1 class Shop::Report
    """,
    edges="""
        lib/shop.rb - imports lib/shop/store.rb -
        lib/shop/store.rb - imports lib/shop/order.rb -
        lib/shop/store.rb Shop.Store inherits lib/shop/store.rb Shop.Base
        lib/shop/store.rb Shop.Store inherits lib/shop/store.rb Shop.Keeping
        lib/shop.rb Shop.run calls lib/shop/store.rb Shop.Store.initialize
        lib/shop.rb Shop.run calls lib/shop/store.rb Shop.Store.add
        lib/shop.rb Shop.run calls lib/shop/report.rb Shop::Report
        lib/shop.rb Shop.run calls lib/shop/report.rb Shop::Report.build
        lib/shop/report.rb Shop::Report inherits lib/shop/store.rb Shop.Base
        lib/shop/report.rb Shop::Report.build calls lib/shop/store.rb Shop.Base.reset
        lib/shop/report.rb Shop::Report.build calls lib/shop/report.rb Shop::Report.name_of
        lib/shop.rb Shop.run calls lib/shop/order.rb Shop.Order.initialize
        lib/shop.rb Shop.run calls lib/shop/order.rb Shop.Order.total
        lib/shop/store.rb Shop.Store.initialize calls lib/shop/order.rb Shop.Order.initialize
        lib/shop/store.rb Shop.Store.add calls lib/shop/order.rb Shop.Order.total
        lib/shop/store.rb Shop.Store.add calls lib/shop/order.rb Shop.Order.make
        lib/shop/store.rb Shop.Store.add calls lib/shop/store.rb Shop.Base.reset
        lib/shop/store.rb Shop.Store.add calls lib/shop/store.rb Shop.Store.size
        lib/shop/store.rb Shop.Store.add calls lib/shop/store.rb Shop.Keeping.keep
        lib/shop/order.rb Shop.Order.make calls lib/shop/order.rb Shop.Order.initialize
    """,
    unresolved="""
        lib/shop.rb unknown_thing
        lib/shop.rb top_helper
    """,
    docs={"Shop.Store": "Keeps orders."},
)

PHP = Sample(
    files={
        "src/Store.php": """
            <?php

            namespace Shop;

            use Shop\\Model\\Order;
            use Shop\\Model\\Line as Row;
            use function Shop\\Model\\price_of;

            /** Keeps orders. */
            final class Store extends Base implements Keeper
            {
                use Logs;

                private const LIMIT = 10;
                private ?Order $first = null;

                public function __construct(private Order $last, string $name)
                {
                    $this->first = new Order(1);
                }

                public function add(Order $order): static
                {
                    $order->total();
                    $this->first->total();
                    $this->last->total();
                    $this->reset();
                    parent::reset();
                    self::make();
                    $this->log();
                    $row = new Row();
                    $row->price();
                    price_of($row);
                    return $this;
                }

                public static function make(): self
                {
                    return new self(new Order(2), 'x');
                }
            }
        """,
        "src/Base.php": """
            <?php

            namespace Shop;

            abstract class Base
            {
                public function reset() {}
            }

            interface Keeper {}

            trait Logs
            {
                public function log() {}
            }
        """,
        "src/Model/Order.php": """
            <?php

            namespace Shop\\Model;

            class Order
            {
                public function __construct(int $id) {}
                public function total(): int { return 1; }
            }

            class Line
            {
                public function price() { return 1; }
            }

            function price_of(Line $line): int { return $line->price(); }
        """,
        "src/main.php": """
            <?php

            use Shop\\Model;
            use Shop\\Store;

            function run(): void
            {
                $store = Store::make();
                $store->add(null)->add(null);
                unknown($store);
                $store->missing();
                new Model\\Line();
            }
        """,
    },
    definitions="""
        src/Store.php:10 class Store
        src/Store.php:17 method Store.__construct
        src/Store.php:22 method Store.add
        src/Store.php:14 variable Store.LIMIT
        src/Store.php:15 variable Store.first
        src/Store.php:17 variable Store.last
        src/Base.php:10 type Keeper
        src/Base.php:12 type Logs
        src/Model/Order.php:16 function price_of
        src/main.php:6 function run
    """,
    edges="""
        src/Store.php Store inherits src/Base.php Base
        src/Store.php Store inherits src/Base.php Keeper
        src/Store.php Store inherits src/Base.php Logs
        src/Store.php Store.__construct calls src/Model/Order.php Order.__construct
        src/Store.php Store.add calls src/Model/Order.php Order.total
        src/Store.php Store.add calls src/Base.php Base.reset
        src/Store.php Store.add calls src/Store.php Store.make
        src/Store.php Store.add calls src/Base.php Logs.log
        src/Store.php Store.add calls src/Model/Order.php Line
        src/Store.php Store.add calls src/Model/Order.php Line.price
        src/Store.php Store.add calls src/Model/Order.php price_of
        src/Store.php Store.make calls src/Store.php Store.__construct
        src/Store.php Store.make calls src/Model/Order.php Order.__construct
        src/Model/Order.php price_of calls src/Model/Order.php Line.price
        src/main.php run calls src/Store.php Store.make
        src/main.php run calls src/Store.php Store.add
        src/main.php run calls src/Model/Order.php Line
    """,
    unresolved="""
        src/main.php unknown
        src/main.php store.missing
    """,
    docs={"Store": "Keeps orders."},
)

BASH = Sample(
    files={
        "bin/shop.sh": """
            #!/usr/bin/env bash
            source "$(dirname "$0")/../lib/store.sh"
            . ./lib/order.sh

            LIMIT=10

            # Runs the shop.
            function run {
                local name="$1"
                store_add "$name"
                grep x
                if order_total; then
                    helper-one
                fi
                hidden_function
            }

            helper-one() {
                echo "$(store_size)"
            }

            run "$@"
        """,
        "lib/store.sh": """
            store_add() {
                store_size
            }

            store_size() { echo 1; }
        """,
        "lib/order.sh": """
            order_total() { echo 2; }
        """,
        "lib/hidden.sh": """
            hidden_function() { :; }
        """,
    },
    definitions="""
        bin/shop.sh:8 function run
        bin/shop.sh:18 function helper-one
        bin/shop.sh:5 variable LIMIT
        lib/store.sh:1 function store_add
    """,
    edges="""
        bin/shop.sh - imports lib/store.sh -
        bin/shop.sh - imports lib/order.sh -
        bin/shop.sh - calls bin/shop.sh run
        bin/shop.sh run calls lib/store.sh store_add
        bin/shop.sh run calls lib/order.sh order_total
        bin/shop.sh run calls bin/shop.sh helper-one
        bin/shop.sh helper-one calls lib/store.sh store_size
        lib/store.sh store_add calls lib/store.sh store_size
    """,
    unresolved="""
        bin/shop.sh grep
        bin/shop.sh hidden_function
    """,
    docs={"run": "Runs the shop."},
)

SAMPLES = {"c_sharp": C_SHARP, "ruby": RUBY, "php": PHP, "bash": BASH}
